package io.tunnel.programs.torture;

import io.tunnel.model.Row;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a tunnel from EARLIEST delivered, and the rows that this makes. */
final class Seen {

  private final Witness ledger;
  private final Map<Integer, List<Integer>> versions = new HashMap<>();
  private final Map<Integer, Map<String, ColumnValue>> rows = new HashMap<>();
  private final Map<Integer, Long> positions = new TreeMap<>();
  private long count;
  private long gaps;

  /** Nothing was read yet. */
  Seen(Witness ledger) {
    this.ledger = ledger;
  }

  /** Of one channel at a time, or of several. */
  synchronized void take(ProcessRecordsInput input) {
    for (StreamRecord record : input.getRecords()) {
      long before = positions.getOrDefault(record.partition(), 0L);
      if (record.position() != before + 1) {
        gaps++;
      }
      positions.put(record.partition(), record.position());
      count++;
      take(record);
    }
  }

  private void take(StreamRecord record) {
    int key = TortureTable.key(record.getPrimaryKey());
    int version =
        switch (record.getRecordType()) {
          case PUT -> set(key, record, Map.of());
          case UPDATE -> set(key, record, rows.getOrDefault(key, Map.of()));
          case DELETE -> {
            rows.remove(key);
            yield ledger.deleteAt(record.partition(), record.position());
          }
        };
    versions.computeIfAbsent(key, id -> new ArrayList<>()).add(version);
  }

  /** The version of the row that a change makes of {@code before}. */
  private int set(int key, StreamRecord record, Map<String, ColumnValue> before) {
    Map<String, ColumnValue> row = new TreeMap<>(before);
    for (RecordColumn column : record.getColumns()) {
      if (column.getColumnType() == RecordColumn.ColumnType.PUT) {
        row.put(column.name(), column.getColumn().getValue());
      } else {
        row.remove(column.name());
      }
    }
    rows.put(key, row);
    return Integer.parseInt(row.get(TortureTable.versionColumn()).toString());
  }

  /** By partition, the position of the last change. */
  synchronized Map<Integer, Long> positions() {
    return new TreeMap<>(positions);
  }

  synchronized long count() {
    return count;
  }

  /** Positions that did not follow the one before. */
  synchronized long gaps() {
    return gaps;
  }

  synchronized Map<Integer, List<Integer>> versions() {
    return new HashMap<>(versions);
  }

  /** Rows of the table that are not what the changes make; a few of them as text. */
  synchronized List<String> disagreements(Iterable<Row> table) {
    List<String> found = new ArrayList<>();
    Map<Integer, Map<String, ColumnValue>> left = new HashMap<>(rows);
    for (Row row : table) {
      int key = TortureTable.key(row.primaryKey());
      Map<String, ColumnValue> columns = new TreeMap<>();
      for (Column column : row.columns()) {
        columns.put(column.getName(), column.getValue());
      }
      Map<String, ColumnValue> expected = left.remove(key);
      if (!columns.equals(expected)) {
        found.add("key " + key + ": the table has " + columns + ", the changes make " + expected);
      }
    }
    left.forEach(
        (key, row) -> found.add("key " + key + ": not in the table, the changes make " + row));
    return found;
  }
}
