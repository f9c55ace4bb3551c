package io.tunnel.programs.bench.seeds;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A value of a JSON file, which knows where it stands: a refusal names the file and the path of the
 * value, such as {@code my.json: $.loads[2].clients is 1 to 10000, not 0}.
 */
final class JsonPlace {

  /** What Gson says to programmers. */
  private static final String ADVICE =
      "Use JsonReader.setStrictness(Strictness.LENIENT) to accept malformed JSON";

  /** Characters of a file that an error repeats. */
  private static final int VALUE_MAX = 60;

  private static final int MESSAGE_MAX = 200;

  private final String file;
  private final String path;
  private final JsonElement value;

  private JsonPlace(String file, String path, JsonElement value) {
    this.file = file;
    this.path = path;
    this.value = value;
  }

  /**
   * Parses a text.
   *
   * @param file its name, for errors
   * @throws IllegalArgumentException says where the text is no JSON
   */
  static JsonPlace parse(String file, String text) {
    Json.repeatedPath(text)
        .ifPresent(
            path -> {
              throw new IllegalArgumentException(
                  file + ": " + shown(path, MESSAGE_MAX) + " is there twice");
            });
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement value = new Gson().getAdapter(JsonElement.class).read(reader);
      if (hasMore(reader)) {
        throw new IllegalArgumentException(file + ": there is more behind the JSON object");
      }
      return new JsonPlace(file, "$", value);
    } catch (IOException | JsonParseException e) {
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IllegalArgumentException(
          file + ": this is no JSON: " + shown(why.replace(ADVICE, "malformed"), MESSAGE_MAX), e);
    }
  }

  private static boolean hasMore(JsonReader reader) throws IOException {
    try {
      return reader.peek() != JsonToken.END_DOCUMENT;
    } catch (MalformedJsonException more) {
      return true;
    }
  }

  private static String shown(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max) + "…";
  }

  private String shown() {
    return shown(value.toString(), VALUE_MAX);
  }

  /** The error that names this place. */
  IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(file + ": " + path + " " + what);
  }

  /** Refuses anything but an object with no other members than those. */
  JsonPlace object(Set<String> known) {
    if (!(value instanceof JsonObject members)) {
      throw wrong("is no object");
    }
    for (String name : members.keySet()) {
      if (!known.contains(name)) {
        throw wrong("has a member '" + name + "'; known are " + new TreeSet<>(known));
      }
    }
    return this;
  }

  /** A member that must be there. */
  JsonPlace member(String name) {
    return find(name).orElseThrow(() -> wrong("has no member '" + name + "'"));
  }

  /** A member that may be there. */
  Optional<JsonPlace> find(String name) {
    return value instanceof JsonObject members && members.has(name)
        ? Optional.of(new JsonPlace(file, path + "." + name, members.get(name)))
        : Optional.empty();
  }

  /** Refuses a member that other workloads or loads have. */
  void refuse(String name, String why) {
    find(name)
        .ifPresent(
            place -> {
              throw place.wrong(why);
            });
  }

  /** The elements of an array, {@code min} to {@code max} of them. */
  <T> List<T> list(int min, int max, Function<JsonPlace, T> read) {
    if (!(value instanceof JsonArray elements)) {
      throw wrong("is no array");
    }
    if (elements.size() < min || elements.size() > max) {
      throw wrong("has " + elements.size() + " elements, not " + min + " to " + max);
    }
    List<T> all = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      all.add(read.apply(new JsonPlace(file, path + "[" + i + "]", elements.get(i))));
    }
    return all;
  }

  /** As {@link #list}, without two equal elements. */
  <T> List<T> distinct(int min, int max, Function<JsonPlace, T> read) {
    List<T> all = list(min, max, read);
    if (new HashSet<>(all).size() != all.size()) {
      throw wrong("has one element twice: " + all);
    }
    return all;
  }

  /** A text of one line that is not empty; a terminal may print it. */
  String text() {
    if (value instanceof JsonPrimitive some && some.isString() && !some.getAsString().isBlank()) {
      String text = some.getAsString();
      if (text.chars().anyMatch(Character::isISOControl)) {
        throw wrong("has a control character: " + shown());
      }
      return text;
    }
    throw wrong("is no text: " + shown());
  }

  /** The value that a text names, out of some. */
  <T> T oneOf(Collection<T> known, Function<T, String> name) {
    Map<String, T> named = known.stream().collect(Collectors.toMap(name, Function.identity()));
    return named.get(oneOf(named.keySet()));
  }

  /** A text out of some. */
  String oneOf(Set<String> known) {
    String text = text();
    if (!known.contains(text)) {
      throw wrong("is one of " + new TreeSet<>(known) + ", not '" + shown(text, VALUE_MAX) + "'");
    }
    return text;
  }

  /** A number of 0 or more. */
  double number() {
    if (value instanceof JsonPrimitive some && some.isNumber()) {
      double number = some.getAsDouble();
      if (Double.isFinite(number) && number >= 0) {
        return number;
      }
    }
    throw wrong("is no number of 0 or more: " + shown());
  }

  /** A whole number between two others. */
  int whole(int min, int max) {
    double number = number();
    if (number != Math.rint(number) || number < min || number > max) {
      throw wrong("is " + min + " to " + max + ", not " + shown());
    }
    return (int) number;
  }
}
