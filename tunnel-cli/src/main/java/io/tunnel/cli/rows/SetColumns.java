package io.tunnel.cli.rows;

import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.stress.file.TypedText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

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

  /** What an update does: sets {@code set}, adds {@code add} and removes {@code unset}. */
  static List<ColumnUpdate> updates(List<String> set, List<String> add, List<String> unset) {
    List<ColumnUpdate> updates = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Column column : parse(set)) {
      names.add(column.getName());
      updates.add(new ColumnUpdate.Put(column.getName(), column.getValue()));
    }
    for (String item : add) {
      ColumnUpdate.Increment increment = increment(item);
      if (!names.add(increment.name())) {
        throw new IllegalArgumentException("column '" + increment.name() + "' is named twice");
      }
      updates.add(increment);
    }
    for (String name : unset) {
      if (!names.add(name)) {
        throw new IllegalArgumentException("column '" + name + "' is named twice");
      }
      updates.add(new ColumnUpdate.Delete(name));
    }
    if (updates.isEmpty()) {
      throw new IllegalArgumentException(
          "an update changes something: give --set NAME=VALUE, --add NAME=NUMBER or --unset NAME");
    }
    return updates;
  }

  private static ColumnUpdate.Increment increment(String item) {
    int equals = item.lastIndexOf('=');
    try {
      if (equals > 0) {
        return new ColumnUpdate.Increment(
            item.substring(0, equals), Long.parseLong(item.substring(equals + 1)));
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--add '" + item + "': not a whole number of 64 bits", e);
    }
    throw new IllegalArgumentException(
        "--add '" + item + "' is not NAME=NUMBER, such as views=1 or stock=-3");
  }

  /** Refuses a change that sets or removes a column which has the name of one of its key's. */
  static RowChange requireNoKeyColumn(RowChange change) {
    Stream<String> names = Stream.empty();
    if (change instanceof RowPutChange put) {
      names = put.columns().stream().map(Column::getName);
    } else if (change instanceof RowUpdateChange update) {
      names = update.updates().stream().map(ColumnUpdate::name);
    }
    names.forEach(
        name -> {
          if (change.primaryKey().getPrimaryKeyColumns().stream()
              .anyMatch(column -> column.getName().equals(name))) {
            throw new IllegalArgumentException(
                "'"
                    + name
                    + "' is a column of the table's key, and so no other: it is given by --key");
          }
        });
    return change;
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
    if (colon >= 0) {
      throw new IllegalArgumentException(
          "--set "
              + name
              + ": '"
              + name.substring(colon + 1)
              + "' is not a TYPE of "
              + Arrays.toString(ColumnType.values())
              + "; a column whose name has a colon needs its type: "
              + name
              + ":STRING=VALUE");
    }
    ColumnValue value = TypedText.infer(text);
    return new Column(name, value);
  }
}
