package io.tunnel.stress.file;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Limits;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * JSON Lines: an object a line, either a {@link TypedJson} as tools print it, or the columns
 * themselves. Of those a null member is as good as none; {@code {"add":1}} adds to its column; any
 * other object or array becomes the text of its JSON.
 */
final class JsonRecordReader implements RecordReader {

  private static final Gson GSON =
      new GsonBuilder().setStrictness(Strictness.STRICT).disableHtmlEscaping().create();
  private static final Pattern COLUMN = Pattern.compile("column ([0-9]+)");
  private static final TypeAdapter<JsonElement> ELEMENT = GSON.getAdapter(JsonElement.class);

  /** JSON writes a byte as up to six ({@code \\u0001}), and a column with up to 64 around it. */
  static final int LINE_BYTES_MAX = 6 * Limits.ROW_BYTES_MAX + 64 * Limits.ROW_COLUMNS_MAX;

  private static final String AN_ARRAY =
      ", but a JSON array (jq -c '.[]' makes lines of its elements)";

  private final LineReader lines;

  JsonRecordReader(InputStream in) {
    lines = new LineReader(in, LINE_BYTES_MAX);
  }

  @Override
  public Optional<List<String>> names() {
    return Optional.empty();
  }

  @Override
  public FileRecord next() {
    String line = lines.next();
    while (line != null && line.isBlank()) {
      line = lines.next();
    }
    return line == null ? null : parse(line);
  }

  /** Skips {@code count} lines without parsing them, or up to the end of the file. */
  void skip(long count) {
    for (long left = count; left > 0 && lines.next() != null; left--) {}
  }

  private FileRecord parse(String line) {
    JsonObject object = object(line);
    if (TypedJson.isTyped(object)) {
      return TypedJson.parse(lines.number(), object);
    }
    List<FileRecord.Field> fields = new ArrayList<>(object.size());
    for (Map.Entry<String, JsonElement> member : object.entrySet()) {
      JsonElement value = member.getValue();
      if (value.isJsonPrimitive()) {
        fields.add(
            new FileRecord.Field(
                member.getKey(), value.getAsString(), form(value.getAsJsonPrimitive())));
      } else if (!value.isJsonNull()) {
        Optional<String> added = TypedJson.added(value);
        fields.add(
            new FileRecord.Field(
                member.getKey(),
                added.orElseGet(() -> GSON.toJson(value)),
                added.isPresent() ? FileRecord.Form.ADDED : FileRecord.Form.QUOTED));
      }
    }
    return new FileRecord.Plain(lines.number(), fields);
  }

  private static FileRecord.Form form(JsonPrimitive value) {
    if (value.isString()) {
      return FileRecord.Form.QUOTED;
    }
    return value.isNumber() ? FileRecord.Form.NUMBER : FileRecord.Form.BARE;
  }

  @Override
  public long line() {
    return lines.number();
  }

  private JsonObject object(String line) {
    String what;
    try {
      JsonReader reader = GSON.newJsonReader(new StringReader(line));
      JsonElement element = ELEMENT.read(reader);
      Json.requireUniqueNames(line);
      // Asking what follows throws on anything but the end.
      if (element.isJsonObject() && reader.peek() == JsonToken.END_DOCUMENT) {
        return element.getAsJsonObject();
      }
      what = element.isJsonArray() ? "not a JSON object" + AN_ARRAY : "not a JSON object";
    } catch (MalformedException e) {
      throw new BadLineException("line " + lines.number() + ": " + e.getMessage());
    } catch (IOException | JsonParseException | IllegalStateException e) {
      // The rest of Gson's message is advice to programmers.
      Matcher column = COLUMN.matcher(String.valueOf(e.getMessage()));
      what =
          "not JSON"
              + (column.find() ? " at column " + column.group(1) : "")
              + (line.stripLeading().startsWith("[") ? AN_ARRAY : "");
    }
    throw new BadLineException(
        "line " + lines.number() + ": " + what + "; a line should be like {\"column\": value, …}");
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
