package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** The rows that a table must hold. */
final class TableModel {

  private final Map<Integer, NavigableMap<Bytes, Map<String, ColumnValue>>> partitions =
      new TreeMap<>();

  NavigableMap<Bytes, Map<String, ColumnValue>> rows(int partition) {
    return partitions.computeIfAbsent(partition, id -> new TreeMap<>());
  }

  void apply(int partition, RowChange change) {
    Bytes key = KeyCodec.encode(change.primaryKey(), TestRows.SCHEMA);
    NavigableMap<Bytes, Map<String, ColumnValue>> rows = rows(partition);
    if (change instanceof RowPutChange put) {
      rows.put(key, columns(put.columns()));
    } else if (change instanceof RowUpdateChange update) {
      Map<String, ColumnValue> columns = rows.computeIfAbsent(key, id -> new HashMap<>());
      update.updates().forEach(column -> apply(columns, column));
    } else {
      rows.remove(key);
    }
  }

  private static void apply(Map<String, ColumnValue> columns, ColumnUpdate update) {
    if (update instanceof ColumnUpdate.Put put) {
      columns.put(put.name(), put.value());
    } else {
      columns.remove(update.name());
    }
  }

  void requireEqual(TableStore table, int partitionMax, Random random) {
    for (int partition = 1; partition <= partitionMax; partition++) {
      NavigableMap<Bytes, Map<String, ColumnValue>> rows = rows(partition);
      assertThat(scan(table, partition, Bytes.EMPTY, Bytes.EMPTY, true, Integer.MAX_VALUE))
          .as("partition %d", partition)
          .isEqualTo(rows);
      assertThat(table.count(partition, Integer.MAX_VALUE).rows()).isEqualTo(rows.size());
      requireRange(table, partition, random);
      requireRow(table, partition, TestRows.keyBytes("k" + random.nextInt(40)));
    }
  }

  private void requireRow(TableStore table, int partition, Bytes key) {
    Map<String, ColumnValue> row = rows(partition).get(key);
    assertThat(table.get(partition, key).map(TableModel::columns))
        .isEqualTo(Optional.ofNullable(row));
    byte[] array = key.toByteArray();
    assertThat(table.exists(partition, array, 0, array.length)).isEqualTo(row != null);
    assertThat(table.encodedColumns(partition, key).map(Map::keySet))
        .isEqualTo(Optional.ofNullable(row).map(Map::keySet));
  }

  private void requireRange(TableStore table, int partition, Random random) {
    Bytes from = bound(random);
    Bytes to = bound(random);
    boolean isForward = random.nextBoolean();
    int limit = random.nextInt(6);
    NavigableMap<Bytes, Map<String, ColumnValue>> range = rows(partition).tailMap(from, true);
    if (to.length() > 0) {
      range = from.compareTo(to) >= 0 ? new TreeMap<>() : range.headMap(to, false);
    }
    List<Bytes> keys = new ArrayList<>((isForward ? range : range.descendingMap()).keySet());
    NavigableMap<Bytes, Map<String, ColumnValue>> expected = new TreeMap<>();
    for (Bytes key : keys.subList(0, Math.min(limit, keys.size()))) {
      expected.put(key, range.get(key));
    }
    assertThat(scan(table, partition, from, to, isForward, limit))
        .as("partition %d [%s, %s) forward %s limit %d", partition, from, to, isForward, limit)
        .isEqualTo(expected);
  }

  private static Bytes bound(Random random) {
    return random.nextInt(4) == 0 ? Bytes.EMPTY : TestRows.keyBytes("k" + random.nextInt(40));
  }

  static NavigableMap<Bytes, Map<String, ColumnValue>> scan(
      TableStore table, int partition, Bytes from, Bytes to, boolean isForward, int limit) {
    NavigableMap<Bytes, Map<String, ColumnValue>> found = new TreeMap<>();
    List<Bytes> order = new ArrayList<>();
    boolean isComplete =
        table.scan(
            partition,
            from,
            to,
            isForward,
            (key, columns) -> {
              if (found.size() == limit) {
                return false;
              }
              order.add(key);
              found.put(key, columns(columns));
              return true;
            });
    assertThat(isComplete || found.size() == limit).isTrue();
    assertThat(order)
        .isEqualTo(new ArrayList<>((isForward ? found : found.descendingMap()).keySet()));
    return found;
  }

  private static Map<String, ColumnValue> columns(List<Column> columns) {
    Map<String, ColumnValue> byName = new HashMap<>();
    columns.forEach(column -> byName.put(column.getName(), column.getValue()));
    assertThat(byName).hasSize(columns.size());
    return byName;
  }
}
