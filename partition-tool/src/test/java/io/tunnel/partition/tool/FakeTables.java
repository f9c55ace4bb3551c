package io.tunnel.partition.tool;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tables in memory. Before a creation another client may be faster; connections are counted. */
final class FakeTables implements PartitionTables {

  final Map<String, TableDescription> tables = new TreeMap<>();
  final List<String> endpoints = new ArrayList<>();
  int creations;
  int open;

  /** Runs before a table is created, as what others do meanwhile. */
  Runnable beforeCreate = () -> {};

  PartitionTables connect(String endpoint) {
    endpoints.add(endpoint);
    open++;
    return this;
  }

  @Override
  public TableDescription create(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    beforeCreate.run();
    if (tables.containsKey(meta.name())) {
      throw new RefusedException(ErrorCode.TABLE_EXISTS, "table '" + meta.name() + "' exists");
    }
    creations++;
    TableDescription table = describe(meta, splitPoints);
    tables.put(meta.name(), table);
    return table;
  }

  static TableDescription describe(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    List<PartitionDescription> partitions = new ArrayList<>();
    Bytes from = Bytes.EMPTY;
    for (int i = 0; i <= splitPoints.size(); i++) {
      Bytes to = i == splitPoints.size() ? Bytes.EMPTY : KeyCodec.encode(splitPoints.get(i));
      partitions.add(partition(i + 1, from, to, i * 100L));
      from = to;
    }
    return new TableDescription(7, meta, 1_700_000_000_000L, partitions);
  }

  private static PartitionDescription partition(int id, Bytes from, Bytes to, long rows) {
    return new PartitionDescription(
        id, from, to, List.of(), rows, rows < 300, rows * 200, rows * 250, 1, rows);
  }

  @Override
  public TableDescription describe(String table) {
    if (!tables.containsKey(table)) {
      throw new RefusedException(ErrorCode.TABLE_NOT_FOUND, "there is no table '" + table + "'");
    }
    return tables.get(table);
  }

  @Override
  public void close() {
    open--;
  }
}
