package io.tunnel.cli;

import com.google.gson.JsonObject;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.terminal.Printable;
import io.tunnel.terminal.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Rows for people and for programs. BINARY is hexadecimal in both. */
final class RowReport {

  private static final int VALUE_LENGTH_MAX = 40;

  private RowReport() {}

  /** One row with all of every value, one line a column. */
  static List<String> lines(Row row) {
    TextTable table = new TextTable("COLUMN", "TYPE", "VALUE");
    for (PrimaryKeyColumn column : row.primaryKey().getPrimaryKeyColumns()) {
      table.row(
          column.getName(), column.getValue().type() + " (key)", column.getValue().toString());
    }
    for (Column column : row.columns()) {
      table.row(column.getName(), column.getValue().type().name(), column.getValue().toString());
    }
    return table.lines();
  }

  /** Many rows, one line each with long values cut; the first line is a heading. */
  static List<String> lines(List<PrimaryKeySchema> key, List<Row> rows) {
    List<String> headings = new ArrayList<>();
    key.forEach(column -> headings.add(column.name()));
    headings.add("COLUMNS");
    TextTable table = new TextTable(headings);
    for (Row row : rows) {
      List<String> cells = new ArrayList<>();
      row.primaryKey().getPrimaryKeyColumns().forEach(column -> cells.add(cut(column.getValue())));
      cells.add(
          row.columns().stream()
              .map(column -> column.getName() + "=" + cut(column.getValue()))
              .collect(Collectors.joining(", ")));
      table.row(cells);
    }
    return table.lines();
  }

  private static String cut(ColumnValue value) {
    String text = Printable.of(value.toString());
    int points = text.codePointCount(0, text.length());
    return points <= VALUE_LENGTH_MAX
        ? text
        : text.substring(0, text.offsetByCodePoints(0, VALUE_LENGTH_MAX - 1)) + "…";
  }

  /**
   * A row as {@code {"key":{name:value},"columns":{name:{"type":…,"value":…}}}}: the types of a
   * key's columns are the table's, those of the others are the row's own.
   */
  static JsonObject json(Row row) {
    JsonObject key = new JsonObject();
    row.primaryKey()
        .getPrimaryKeyColumns()
        .forEach(column -> addValue(key, column.getName(), column.getValue()));
    JsonObject columns = new JsonObject();
    for (Column column : row.columns()) {
      JsonObject typed = new JsonObject();
      typed.addProperty("type", column.getValue().type().name());
      addValue(typed, "value", column.getValue());
      columns.add(column.getName(), typed);
    }
    JsonObject json = new JsonObject();
    json.add("key", key);
    json.add("columns", columns);
    return json;
  }

  private static void addValue(JsonObject json, String name, ColumnValue value) {
    switch (value.type()) {
      case INTEGER -> json.addProperty(name, value.asLong());
      case BOOLEAN -> json.addProperty(name, value.asBoolean());
      case DOUBLE -> addDouble(json, name, value.asDouble());
      case STRING, BINARY -> json.addProperty(name, value.toString());
    }
  }

  /** JSON has no number that is none, or infinite: these are text. */
  private static void addDouble(JsonObject json, String name, double value) {
    if (Double.isFinite(value)) {
      json.addProperty(name, value);
    } else {
      json.addProperty(name, Double.toString(value));
    }
  }
}
