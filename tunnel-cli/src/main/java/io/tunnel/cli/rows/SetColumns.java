package io.tunnel.cli.rows;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.stress.file.TypedText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Columns as they are typed: {@code name=Ada}, or {@code age:INTEGER=36} with a type. */
final class SetColumns {

  private SetColumns() {}

  /**
   * The columns that {@code items} set; without a type a value is what it looks like, as in CSV.
   *
   * @throws IllegalArgumentException when an item is none, or two set the same column
   */
  static List<Column> parse(List<String> items) {
    List<Column> columns = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String item : items) {
      Column column = column(item);
      if (!names.add(column.getName())) {
        throw new IllegalArgumentException("column '" + column.getName() + "' is set twice");
      }
      columns.add(column);
    }
    return columns;
  }

  /** What an update does: sets {@code set} and removes {@code unset}. */
  static List<ColumnUpdate> updates(List<String> set, List<String> unset) {
    List<ColumnUpdate> updates = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Column column : parse(set)) {
      names.add(column.getName());
      updates.add(new ColumnUpdate.Put(column.getName(), column.getValue()));
    }
    for (String name : unset) {
      if (!names.add(name)) {
        throw new IllegalArgumentException("column '" + name + "' is named twice");
      }
      updates.add(new ColumnUpdate.Delete(name));
    }
    if (updates.isEmpty()) {
      throw new IllegalArgumentException(
          "an update changes something: give --set NAME=VALUE or --unset NAME");
    }
    return updates;
  }

  private static Column column(String item) {
    int equals = item.indexOf('=');
    if (equals < 1) {
      throw new IllegalArgumentException(
          "--set '" + item + "' is not NAME=VALUE or NAME:TYPE=VALUE, such as age:INTEGER=36");
    }
    String name = item.substring(0, equals);
    String text = item.substring(equals + 1);
    int colon = name.lastIndexOf(':');
    String end = name.substring(colon + 1).toUpperCase(Locale.ROOT);
    try {
      for (ColumnType type : ColumnType.values()) {
        if (colon > 0 && type.name().equals(end)) {
          return new Column(name.substring(0, colon), TypedText.parse(text, type));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--set " + name + ": " + e.getMessage(), e);
    }
    ColumnValue value = TypedText.infer(text);
    return new Column(name, value);
  }
}
