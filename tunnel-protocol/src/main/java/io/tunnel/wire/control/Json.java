package io.tunnel.wire.control;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonSerializationContext;
import com.google.gson.JsonSerializer;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.TypeAdapterFactory;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Converts control payloads to JSON in UTF-8 and back. {@link Bytes} are lower-case hexadecimal; a
 * key value is an object with one member named {@code integer} (a decimal string, so that no reader
 * rounds it), {@code string} or {@code binary} (Base64); an absent {@link Optional} is left out. An
 * empty payload counts as an empty object, a missing number as 0, and unknown members are skipped.
 */
public final class Json {

  private static final Gson GSON =
      new GsonBuilder()
          .disableHtmlEscaping()
          .setStrictness(Strictness.STRICT)
          .registerTypeAdapter(Bytes.class, new BytesAdapter().nullSafe())
          .registerTypeHierarchyAdapter(PrimaryKeyValue.class, new KeyValueAdapter().nullSafe())
          .registerTypeAdapter(PrimaryKey.class, new KeyAdapter(new KeyValueAdapter()).nullSafe())
          .registerTypeAdapter(PrimaryKeySchema.class, new SchemaWriter())
          .registerTypeAdapterFactory(new OptionalFactory())
          .create();

  private Json() {}

  /**
   * Encodes a payload; throws {@link IllegalArgumentException} for a text with an unpaired
   * surrogate.
   */
  public static byte[] encode(Control payload) {
    return payload instanceof Control.Empty ? new byte[0] : Utf8.encode(GSON.toJson(payload));
  }

  /** Encodes a payload together with the id of its request. */
  public static byte[] encode(Control payload, String requestId) {
    JsonObject object = GSON.toJsonTree(payload).getAsJsonObject();
    object.addProperty("requestId", requestId);
    return Utf8.encode(GSON.toJson(object));
  }

  /** Encodes a value as one line of JSON. */
  public static String toText(Record value) {
    return GSON.toJson(value);
  }

  /**
   * Reads a payload.
   *
   * @throws MalformedException when the payload is not JSON, lacks a member, or has a value that
   *     the type refuses
   */
  public static <T extends Control> T decode(byte[] payload, Class<T> type) {
    String text;
    try {
      text = payload.length == 0 ? "{}" : Utf8.decodeStrictly(payload);
    } catch (RuntimeException e) {
      throw new MalformedException("not a " + type.getSimpleName() + ": " + JsonTrouble.of(e));
    }
    return ofText(text, type);
  }

  /**
   * Reads a text of {@link #toText}.
   *
   * @throws MalformedException when the text is not JSON, lacks a member, or has a value that the
   *     type refuses
   */
  public static <T> T ofText(String text, Class<T> type) {
    T decoded;
    try {
      decoded = GSON.fromJson(text, type);
    } catch (RuntimeException e) {
      throw new MalformedException("not a " + type.getSimpleName() + ": " + JsonTrouble.of(e));
    }
    if (decoded == null) {
      throw new MalformedException("not a " + type.getSimpleName() + ": null, not an object");
    }
    return decoded;
  }

  /**
   * Refuses a text in which an object, at any depth, has two members of one name, because Gson
   * would drop all but the last. Accepts a text that is not JSON: the reader of the text refuses
   * it.
   *
   * @throws MalformedException naming the member
   */
  public static void requireUniqueNames(String text) {
    repeated(text)
        .ifPresent(
            twice -> {
              throw new MalformedException(
                  "the name '" + twice.name() + "' comes twice in an object");
            });
  }

  /**
   * The path of the first member that {@link #requireUniqueNames} would refuse, such as {@code
   * $.loads[2].bytes}.
   */
  public static Optional<String> repeatedPath(String text) {
    return repeated(text).map(Repeated::path);
  }

  private record Repeated(String name, String path) {}

  private static Optional<Repeated> repeated(String text) {
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.LENIENT);
    try {
      return repeated(reader);
    } catch (IOException | IllegalStateException notJson) {
      // The reader of the text says where it is wrong.
      return Optional.empty();
    }
  }

  private static Optional<Repeated> repeated(JsonReader reader) throws IOException {
    Deque<Set<String>> open = new ArrayDeque<>();
    for (JsonToken next = reader.peek(); next != JsonToken.END_DOCUMENT; next = reader.peek()) {
      switch (next) {
        case BEGIN_OBJECT -> {
          reader.beginObject();
          open.push(new HashSet<>());
        }
        case END_OBJECT -> {
          reader.endObject();
          open.pop();
        }
        case BEGIN_ARRAY -> reader.beginArray();
        case END_ARRAY -> reader.endArray();
        case NAME -> {
          String name = reader.nextName();
          if (!open.element().add(name)) {
            return Optional.of(new Repeated(name, reader.getPath()));
          }
        }
        default -> reader.skipValue();
      }
    }
    return Optional.empty();
  }

  private static final class BytesAdapter extends TypeAdapter<Bytes> {
    @Override
    public void write(JsonWriter out, Bytes value) throws IOException {
      out.value(value.toString());
    }

    @Override
    public Bytes read(JsonReader in) throws IOException {
      return Bytes.fromHex(in.nextString());
    }
  }

  /** Columns that no server numbers have the members that release 0.1.0 knows. */
  private static final class SchemaWriter implements JsonSerializer<PrimaryKeySchema> {
    @Override
    public JsonElement serialize(
        PrimaryKeySchema column, Type type, JsonSerializationContext context) {
      JsonObject json = new JsonObject();
      json.addProperty("name", column.name());
      json.addProperty("type", column.type().name());
      if (column.isAuto()) {
        json.addProperty("isAuto", true);
      }
      return json;
    }
  }

  private static final class KeyValueAdapter extends TypeAdapter<PrimaryKeyValue> {
    @Override
    public void write(JsonWriter out, PrimaryKeyValue value) throws IOException {
      out.beginObject();
      ColumnValue column = value.toColumnValue();
      if (column instanceof IntegerValue integer) {
        out.name("integer").value(Long.toString(integer.value()));
      } else if (column instanceof StringValue string) {
        out.name("string").value(string.value());
      } else {
        out.name("binary").value(Base64.getEncoder().encodeToString(value.asBinary()));
      }
      out.endObject();
    }

    @Override
    public PrimaryKeyValue read(JsonReader in) throws IOException {
      in.beginObject();
      String type = in.nextName();
      String text = in.nextString();
      in.endObject();
      return switch (type) {
        case "integer" -> PrimaryKeyValue.fromLong(parseLong(text));
        case "string" -> PrimaryKeyValue.fromString(text);
        case "binary" -> PrimaryKeyValue.fromBinary(Base64.getDecoder().decode(text));
        default ->
            throw new JsonParseException(
                "a key value of type '" + type + "', not integer, string or binary");
      };
    }
  }

  private static long parseLong(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new JsonParseException("'" + text + "' is not an integer of 64 bits");
    }
  }

  private static final class OptionalFactory implements TypeAdapterFactory {
    @Override
    @SuppressWarnings("unchecked") // T is Optional<E>, as the check of its raw type says.
    public <T> TypeAdapter<T> create(Gson gson, TypeToken<T> type) {
      if (type.getRawType() != Optional.class) {
        return null;
      }
      TypeToken<?> element =
          TypeToken.get(((ParameterizedType) type.getType()).getActualTypeArguments()[0]);
      return (TypeAdapter<T>) new OptionalAdapter<>(gson.getAdapter(element));
    }
  }

  private static final class OptionalAdapter<E> extends TypeAdapter<Optional<E>> {
    private final TypeAdapter<E> element;

    OptionalAdapter(TypeAdapter<E> element) {
      this.element = element;
    }

    @Override
    public void write(JsonWriter out, Optional<E> value) throws IOException {
      if (value != null && value.isPresent()) {
        element.write(out, value.get());
      } else {
        out.nullValue();
      }
    }

    @Override
    public Optional<E> read(JsonReader in) throws IOException {
      if (in.peek() == JsonToken.NULL) {
        in.nextNull();
        return Optional.empty();
      }
      return Optional.ofNullable(element.read(in));
    }
  }
}
