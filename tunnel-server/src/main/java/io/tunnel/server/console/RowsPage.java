package io.tunnel.server.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.RowPage;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rows of a table as JSON for a page. All values are texts: JavaScript would round an INTEGER of 64
 * bits, and JSON has no infinite DOUBLE. Values over {@value #VALUE_BYTES_MAX} bytes are cut, and
 * say how long they are. For one thread.
 */
final class RowsPage {

  /** Bytes of a value that are shown. */
  static final int VALUE_BYTES_MAX = 1_024;

  private final List<PrimaryKeySchema> schema;
  private final JsonArray rows = new JsonArray();
  private long byteCount;

  /** The types of the values of each column: rows of a table need not agree. */
  private final Map<String, Set<ColumnType>> columns = new LinkedHashMap<>();

  RowsPage(List<PrimaryKeySchema> schema) {
    this.schema = schema;
  }

  /** Rows so far. */
  int count() {
    return rows.size();
  }

  /** Bytes of the rows so far, before values were cut. */
  long byteCount() {
    return byteCount;
  }

  /** Adds the rows of a page. */
  void add(RowPage page) {
    byteCount += page.rows().byteCount();
    RowCursor row = page.rows().rows();
    while (row.next()) {
      JsonObject others = new JsonObject();
      ColumnCursor column = row.columns();
      while (column.next()) {
        String name = row.batch().name(column.nameIndex());
        columns
            .computeIfAbsent(name, unused -> EnumSet.noneOf(ColumnType.class))
            .add(column.value().getType());
        others.add(name, cell(column.value()));
      }
      JsonObject both = new JsonObject();
      both.add("key", key(row, schema));
      both.add("columns", others);
      rows.add(both);
    }
  }

  /** The key of a row, by the names of its columns. */
  static JsonObject key(RowCursor row, List<PrimaryKeySchema> schema) {
    JsonObject key = new JsonObject();
    KeyCodec.decode(row.batch().array(), row.keyOffset(), row.keyBytes(), schema)
        .getPrimaryKeyColumns()
        .forEach(column -> key.add(column.getName(), cell(column)));
    return key;
  }

  private static JsonObject cell(PrimaryKeyColumn column) {
    return cell(column.getValue().toColumnValue());
  }

  /** A value with its type, as {@code value} or, for BINARY in Base64, as {@code bytes}. */
  static JsonObject cell(ColumnValue value) {
    JsonObject cell = new JsonObject();
    cell.addProperty("type", value.getType().name());
    switch (value.getType()) {
      case INTEGER -> cell.addProperty("value", Long.toString(value.asLong()));
      case DOUBLE -> cell.addProperty("value", Double.toString(value.asDouble()));
      case BOOLEAN -> cell.addProperty("value", Boolean.toString(value.asBoolean()));
      case STRING -> addText(cell, value.asString());
      case BINARY -> addBytes(cell, value.asBinary());
    }
    return cell;
  }

  private static void addText(JsonObject cell, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= VALUE_BYTES_MAX) {
      cell.addProperty("value", text);
      return;
    }
    int end = VALUE_BYTES_MAX;
    // A character of UTF-8 goes on in bytes 10xxxxxx, and is not cut in two.
    while ((bytes[end] & 0xc0) == 0x80) {
      end--;
    }
    cell.addProperty("value", new String(bytes, 0, end, StandardCharsets.UTF_8));
    cell.addProperty("truncated", bytes.length);
  }

  private static void addBytes(JsonObject cell, byte[] bytes) {
    byte[] shown = bytes.length <= VALUE_BYTES_MAX ? bytes : Arrays.copyOf(bytes, VALUE_BYTES_MAX);
    cell.addProperty("bytes", Base64.getEncoder().encodeToString(shown));
    if (shown.length < bytes.length) {
      cell.addProperty("truncated", bytes.length);
    }
  }

  /**
   * The page.
   *
   * @param next the bound to go on from; empty at the end
   */
  JsonObject toJson(Optional<Bytes> next) {
    JsonObject page = new JsonObject();
    JsonArray named = new JsonArray();
    schema.forEach(column -> named.add(named(column.name(), Set.of(column.type()), true)));
    columns.forEach((name, types) -> named.add(named(name, types, false)));
    page.add("columns", named);
    page.add("rows", rows);
    if (next.isPresent()) {
      page.addProperty("next", next.get().toString());
    } else {
      page.add("next", JsonNull.INSTANCE);
    }
    return page;
  }

  private static JsonObject named(String name, Set<? extends Enum<?>> types, boolean isKey) {
    JsonObject column = new JsonObject();
    column.addProperty("name", name);
    JsonArray all = new JsonArray();
    types.forEach(type -> all.add(type.name()));
    column.add("types", all);
    column.addProperty("isKey", isKey);
    return column;
  }

  /**
   * A bound of a request: nothing, the {@code next} of a page, or texts for the first columns of
   * the key.
   *
   * @throws Refusal when the columns are not the first columns of the key, or a text is no value
   */
  Bytes bound(JsonElement asked) {
    if (asked == null || asked.isJsonNull()) {
      return Bytes.EMPTY;
    }
    try {
      return asked instanceof JsonObject columns
          ? encoded(columns)
          : Bytes.fromHex(asked.getAsString());
    } catch (IllegalArgumentException | IllegalStateException | UnsupportedOperationException e) {
      throw invalid("'" + shortened(asked.toString()) + "' is no bound: " + e.getMessage());
    }
  }

  private static String shortened(String text) {
    return text.length() <= 100 ? text : text.substring(0, 100) + "...";
  }

  private Bytes encoded(JsonObject asked) {
    ByteSink sink = new ByteSink(64);
    int taken = 0;
    for (PrimaryKeySchema column : schema) {
      JsonElement text = asked.get(column.name());
      if (text == null) {
        break;
      }
      KeyCodec.write(sink, value(column, text.getAsString()));
      taken++;
    }
    if (taken == 0 || taken < asked.size()) {
      throw new IllegalArgumentException("it names the first columns of the key " + schema);
    }
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static PrimaryKeyValue value(PrimaryKeySchema column, String text) {
    return switch (column.type()) {
      case INTEGER -> PrimaryKeyValue.fromLong(integer(column.name(), text));
      case STRING -> PrimaryKeyValue.fromString(text);
      case BINARY -> PrimaryKeyValue.fromBinary(Base64.getDecoder().decode(text));
    };
  }

  private static long integer(String column, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "column '" + column + "' takes an integer of 64 bits in decimal", e);
    }
  }

  /** The refusal of a request whose body is wrong. */
  static Refusal invalid(String why) {
    return new Refusal(HttpResponseStatus.BAD_REQUEST, "INVALID_REQUEST", why);
  }
}
