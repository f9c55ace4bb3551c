package io.tunnel.stress;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnUpdate;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

/**
 * The rows of which it is not known whether they were applied, one JSON object a line: {@code
 * {"kind": "PUT", "key": {…}, "columns": {…}}}. BINARY is Base64; a column that an update removes
 * is null.
 */
final class InDoubtFile implements Closeable {

  private static final Gson GSON =
      new GsonBuilder()
          .serializeNulls()
          .serializeSpecialFloatingPointValues()
          .disableHtmlEscaping()
          .create();

  private final BufferedWriter out;

  /** Makes {@code file}, or empties it. */
  InDoubtFile(Path file) throws IOException {
    out = Files.newBufferedWriter(file);
  }

  void write(List<RowChange> rows) throws IOException {
    for (RowChange row : rows) {
      out.write(toJson(row));
      out.newLine();
    }
  }

  static String toJson(RowChange row) {
    JsonObject json = new JsonObject();
    json.addProperty("kind", row.kind().name());
    JsonObject key = new JsonObject();
    for (PrimaryKeyColumn column : row.primaryKey().getPrimaryKeyColumns()) {
      key.add(column.getName(), value(column.getValue()));
    }
    json.add("key", key);
    JsonObject columns = new JsonObject();
    if (row instanceof RowPutChange put) {
      for (Column column : put.columns()) {
        columns.add(column.getName(), value(column.getValue()));
      }
    } else if (row instanceof RowUpdateChange update) {
      for (ColumnUpdate column : update.updates()) {
        columns.add(
            column.name(),
            column instanceof ColumnUpdate.Put put ? value(put.value()) : JsonNull.INSTANCE);
      }
    }
    json.add("columns", columns);
    return GSON.toJson(json);
  }

  private static JsonElement value(ColumnValue value) {
    return switch (value.type()) {
      case INTEGER -> new JsonPrimitive(value.asLong());
      case DOUBLE -> new JsonPrimitive(value.asDouble());
      case BOOLEAN -> new JsonPrimitive(value.asBoolean());
      case STRING -> new JsonPrimitive(value.asString());
      case BINARY -> new JsonPrimitive(Base64.getEncoder().encodeToString(value.asBinary()));
    };
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
