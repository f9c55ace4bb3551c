package io.tunnel.stress.file;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.tunnel.condition.Condition;
import io.tunnel.condition.ConditionException;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.stress.rows.BadLineException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rows and changes as JSON that keeps every type, so that what a tool prints another can read:
 * {@code {"kind":"UPDATE","key":{"id":7},"columns":{"age":{"type":"INTEGER","value":36},"note":
 * null}}}. An update adds to a column by {@code {"add":1}}; of a change that was read, {@code
 * "added":1} beside the value says what an increment added, which readers skip. {@code "if":"age <
 * 36"} beside the columns is a condition on the columns of the row. The types of a key's columns
 * are the table's. BINARY is hexadecimal; a DOUBLE that JSON has no number for is the text {@code
 * NaN}, {@code Infinity} or {@code -Infinity}; a column that an update removes is null. A row
 * without a kind is a PUT.
 */
public final class TypedJson {

  private static final String KIND = "kind";
  private static final String KEY = "key";
  private static final String COLUMNS = "columns";
  private static final String TYPE = "type";
  private static final String VALUE = "value";
  private static final String ADD = "add";
  private static final String IF = "if";

  private TypedJson() {}

  /** A row, without a kind; a commit time stands in front, where readers skip it. */
  public static JsonObject of(Row row) {
    JsonObject json = new JsonObject();
    row.commitMicros().ifPresent(micros -> json.addProperty("commitMicros", micros));
    json.add(KEY, keyOf(row.primaryKey()));
    json.add(COLUMNS, columnsOf(row.columns()));
    return json;
  }

  /** A change that is written or was read. */
  public static JsonObject of(RowChange change) {
    JsonObject json = new JsonObject();
    json.addProperty(KIND, change.kind().name());
    json.add(KEY, keyOf(change.primaryKey()));
    if (change instanceof RowPutChange put) {
      json.add(COLUMNS, columnsOf(put.columns()));
    } else if (change instanceof RowUpdateChange update) {
      json.add(COLUMNS, updatesOf(update.updates()));
    } else {
      json.add(COLUMNS, new JsonObject());
    }
    change.columnCondition().ifPresent(condition -> json.addProperty(IF, condition.text()));
    return json;
  }

  private static JsonObject keyOf(PrimaryKey key) {
    JsonObject json = new JsonObject();
    key.getPrimaryKeyColumns()
        .forEach(column -> json.add(column.getName(), valueOf(column.getValue().toColumnValue())));
    return json;
  }

  private static JsonObject columnsOf(List<Column> columns) {
    JsonObject json = new JsonObject();
    columns.forEach(column -> json.add(column.getName(), typed(column.getValue())));
    return json;
  }

  private static JsonObject updatesOf(List<ColumnUpdate> updates) {
    JsonObject json = new JsonObject();
    for (ColumnUpdate update : updates) {
      json.add(update.name(), updateOf(update));
    }
    return json;
  }

  private static JsonElement updateOf(ColumnUpdate update) {
    if (update instanceof ColumnUpdate.Put put) {
      return typed(put.value());
    } else if (update instanceof ColumnUpdate.Increment increment) {
      JsonObject json = new JsonObject();
      json.addProperty(ADD, increment.delta());
      return json;
    }
    return JsonNull.INSTANCE;
  }

  /**
   * Notes what an increment added to a column of a change that was read.
   *
   * @param change what {@link #of(RowChange)} gave
   */
  public static void added(JsonObject change, String column, long delta) {
    change.getAsJsonObject(COLUMNS).getAsJsonObject(column).addProperty("added", delta);
  }

  private static JsonObject typed(ColumnValue value) {
    JsonObject json = new JsonObject();
    json.addProperty(TYPE, value.getType().name());
    json.add(VALUE, valueOf(value));
    return json;
  }

  private static JsonElement valueOf(ColumnValue value) {
    return switch (value.getType()) {
      case INTEGER -> new JsonPrimitive(value.asLong());
      case BOOLEAN -> new JsonPrimitive(value.asBoolean());
      case STRING, BINARY -> new JsonPrimitive(value.toString());
      case DOUBLE ->
          Double.isFinite(value.asDouble())
              ? new JsonPrimitive(value.asDouble())
              : new JsonPrimitive(Double.toString(value.asDouble()));
    };
  }

  /** Whether {@code object} is what a tool prints, and not the columns of a row themselves. */
  static boolean isTyped(JsonObject object) {
    JsonElement key = object.get(KEY);
    JsonElement columns = object.get(COLUMNS);
    return key != null && key.isJsonObject() && columns != null && columns.isJsonObject();
  }

  /**
   * The change that {@code object} is.
   *
   * @throws BadLineException when {@code object} is no change; the message names the line
   */
  static FileRecord.Change parse(long line, JsonObject object) {
    try {
      Map<String, String> key = new LinkedHashMap<>();
      object.getAsJsonObject(KEY).asMap().forEach((name, value) -> key.put(name, text(value)));
      List<ColumnUpdate> columns = new ArrayList<>();
      ChangeKind kind = kindOf(object.get(KIND));
      for (Map.Entry<String, JsonElement> column :
          object.getAsJsonObject(COLUMNS).asMap().entrySet()) {
        columns.add(update(column.getKey(), column.getValue()));
      }
      if (kind != ChangeKind.UPDATE
          && columns.stream().anyMatch(ColumnUpdate.Delete.class::isInstance)) {
        throw new IllegalArgumentException("only an UPDATE removes a column (null)");
      }
      if (kind != ChangeKind.UPDATE
          && columns.stream().anyMatch(ColumnUpdate.Increment.class::isInstance)) {
        throw new IllegalArgumentException("only an UPDATE adds to a column (\"add\")");
      }
      return new FileRecord.Change(line, kind, key, columns, condition(object.get(IF)));
    } catch (IllegalArgumentException e) {
      throw new BadLineException("line " + line + ": " + e.getMessage());
    }
  }

  private static Optional<Condition> condition(JsonElement text) {
    if (text == null || text.isJsonNull()) {
      return Optional.empty();
    }
    if (!text.isJsonPrimitive() || !text.getAsJsonPrimitive().isString()) {
      throw new IllegalArgumentException(
          "\"if\" is a condition as a text, such as \"version = 7\", not " + text);
    }
    try {
      return Optional.of(Condition.parse(text.getAsString()));
    } catch (ConditionException e) {
      throw new IllegalArgumentException("\"if\", " + e.getMessage(), e);
    }
  }

  /** What a member of the columns themselves adds: the number of {@code {"add":1}}, if it is so. */
  static Optional<String> added(JsonElement member) {
    if (!member.isJsonObject() || member.getAsJsonObject().size() != 1) {
      return Optional.empty();
    }
    return Optional.ofNullable(member.getAsJsonObject().get(ADD))
        .filter(add -> add.isJsonPrimitive() && add.getAsJsonPrimitive().isNumber())
        .map(JsonElement::getAsString);
  }

  private static ChangeKind kindOf(JsonElement kind) {
    if (kind == null) {
      return ChangeKind.PUT;
    }
    for (ChangeKind one : ChangeKind.values()) {
      if (kind.isJsonPrimitive() && one.name().equals(kind.getAsString())) {
        return one;
      }
    }
    throw new IllegalArgumentException("\"kind\" is PUT, UPDATE or DELETE, not " + kind);
  }

  private static ColumnUpdate update(String name, JsonElement json) {
    if (json.isJsonNull()) {
      return new ColumnUpdate.Delete(name);
    }
    if (!json.isJsonObject()) {
      throw new IllegalArgumentException(
          "column '" + name + "' is not like {\"type\": \"INTEGER\", \"value\": 7}");
    }
    JsonElement add = json.getAsJsonObject().get(ADD);
    if (add != null) {
      return increment(name, json.getAsJsonObject(), add);
    }
    JsonElement type = json.getAsJsonObject().get(TYPE);
    JsonElement value = json.getAsJsonObject().get(VALUE);
    for (ColumnType one : ColumnType.values()) {
      if (type != null && type.isJsonPrimitive() && one.name().equals(type.getAsString())) {
        return new ColumnUpdate.Put(name, TypedText.parse(text(value), one));
      }
    }
    throw new IllegalArgumentException("column '" + name + "' has no type that is known: " + type);
  }

  private static ColumnUpdate increment(String name, JsonObject json, JsonElement add) {
    if (json.size() > 1) {
      throw new IllegalArgumentException(
          "column '" + name + "' has \"add\" and other members; an increment has no value");
    }
    return increment(name, text(add));
  }

  /** An increment by a number as it stands in a file. */
  static ColumnUpdate.Increment increment(String name, String number) {
    try {
      return new ColumnUpdate.Increment(name, Long.parseLong(number));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "column '" + name + "': \"add\" is a whole number of 64 bits, not " + number, e);
    }
  }

  private static String text(JsonElement value) {
    if (value == null || !value.isJsonPrimitive()) {
      throw new IllegalArgumentException(
          "a value is a number, a text, true or false; not " + value);
    }
    return value.getAsString();
  }
}
