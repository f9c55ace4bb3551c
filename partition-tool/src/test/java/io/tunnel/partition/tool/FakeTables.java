package io.tunnel.partition.tool;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Tables in memory. Before a creation another client may be faster; connections are counted. */
final class FakeTables implements PartitionTables {

  final Map<String, TableInfo> tables = new TreeMap<>();
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
  public TableInfo create(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    beforeCreate.run();
    if (tables.containsKey(meta.name())) {
      throw new RefusedException(ErrorCode.TABLE_EXISTS, "table '" + meta.name() + "' exists");
    }
    creations++;
    TableInfo table = describe(meta, splitPoints);
    tables.put(meta.name(), table);
    return table;
  }

  static TableInfo describe(TableMeta meta, List<PrimaryKeyValue> splitPoints) {
    List<PartitionInfo> partitions = new ArrayList<>();
    Optional<PrimaryKeyValue> from = Optional.empty();
    for (int i = 0; i <= splitPoints.size(); i++) {
      Optional<PrimaryKeyValue> to =
          i == splitPoints.size() ? Optional.empty() : Optional.of(splitPoints.get(i));
      partitions.add(partition(i + 1, from, to, i * 100L));
      from = to;
    }
    return new TableInfo(7, meta, 1_700_000_000_000L, partitions);
  }

  /** Of partitions with 500 rows and more, nobody knows the bytes of changes. */
  private static PartitionInfo partition(
      int id, Optional<PrimaryKeyValue> from, Optional<PrimaryKeyValue> to, long rows) {
    long changeBytes = rows < 500 ? rows * 250 : PartitionFigures.UNKNOWN;
    PartitionFigures figures =
        new PartitionFigures(rows, rows < 300, rows * 200, changeBytes, 1, rows);
    return new PartitionInfo(id, from, to, List.of(), Optional.empty(), Optional.of(figures));
  }

  @Override
  public TableInfo describe(String table) {
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
