package io.tunnel.it.ledger;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a change does, as text, so that what was written, what was consumed and what a table holds
 * can be compared whole. No text of these tests contains what separates the parts.
 *
 * @param columns {@code +name=value} for a column that is put, {@code -name} for one that is
 *     removed
 */
public record Mutation(ChangeKind kind, String key, List<String> columns) {

  private static final String PART = "|";
  private static final String COLUMN = ";";

  public Mutation {
    columns = List.copyOf(columns);
  }

  public static Mutation of(RowChange row) {
    List<String> columns = List.of();
    if (row instanceof RowPutChange put) {
      columns = columns(put.columns());
    } else if (row instanceof RowUpdateChange update) {
      columns = update.updates().stream().map(Mutation::text).toList();
    }
    return new Mutation(row.kind(), text(row.primaryKey()), columns);
  }

  public static Mutation of(StreamRecord record) {
    return new Mutation(
        ChangeKind.valueOf(record.getRecordType().name()),
        text(record.getPrimaryKey()),
        record.getColumns().stream().map(Mutation::text).toList());
  }

  public static String text(PrimaryKey key) {
    return key.getPrimaryKeyColumns().stream()
        .map(column -> column.getValue().toString())
        .collect(Collectors.joining(","));
  }

  private static String text(ColumnUpdate update) {
    return update instanceof ColumnUpdate.Put put
        ? "+" + put.name() + "=" + put.value()
        : "-" + update.name();
  }

  private static String text(RecordColumn column) {
    return column.getColumnType() == RecordColumn.ColumnType.PUT
        ? "+" + column.name() + "=" + column.getColumn().getValue()
        : "-" + column.name();
  }

  private static List<String> columns(List<Column> columns) {
    return columns.stream()
        .map(column -> "+" + column.getName() + "=" + column.getValue())
        .toList();
  }

  String toText() {
    return kind + PART + key + PART + String.join(COLUMN, columns);
  }

  static Mutation parse(String text) {
    String[] parts = text.split("\\|", -1);
    return new Mutation(
        ChangeKind.valueOf(parts[0]),
        parts[1],
        parts[2].isEmpty() ? List.of() : List.of(parts[2].split(COLUMN)));
  }

  /** Does to {@code rows}, columns by key, what the change does to its table. */
  public void applyTo(Map<String, Map<String, String>> rows) {
    switch (kind) {
      case DELETE -> rows.remove(key);
      case PUT -> rows.put(key, new TreeMap<>());
      case UPDATE -> rows.putIfAbsent(key, new TreeMap<>());
    }
    for (String column : columns) {
      int end = column.indexOf('=');
      if (end < 0) {
        rows.get(key).remove(column.substring(1));
      } else {
        rows.get(key).put(column.substring(1, end), column.substring(end + 1));
      }
    }
  }

  /** A row of a table in the form of {@link #applyTo}. */
  public static Map<String, String> columnsOf(Row row) {
    Map<String, String> columns = new TreeMap<>();
    row.columns().forEach(column -> columns.put(column.getName(), column.getValue().toString()));
    return columns;
  }
}
