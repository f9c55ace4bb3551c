package io.tunnel.server.config;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.tunnel.codec.MalformedException;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * A file of settings: a JSON object of the shape of a tree of records, with the settings that
 * differ from the defaults. Gson would read 1.5 as 1, "yes" as false and 4294967297 as 1 where a
 * record asks for an int or a boolean, so every setting is compared with the type of its component
 * before Gson sees it.
 */
final class SettingsFile {

  private SettingsFile() {}

  /**
   * Writes the settings in {@code file} into {@code settings}, which has every component of {@code
   * tree}.
   *
   * @throws IllegalArgumentException when the file does not fit {@code tree}; names the setting
   */
  static void mergeInto(JsonObject settings, Class<? extends Record> tree, Path file)
      throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    JsonElement changes;
    try {
      changes = JsonParser.parseString(text);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException(
          file + " is not a JSON object; it breaks off or is wrong" + place(e), e);
    }
    if (!changes.isJsonObject()) {
      throw new IllegalArgumentException(file + " is not a JSON object");
    }
    try {
      Json.requireUniqueNames(text);
      merge(settings, changes.getAsJsonObject(), tree, "");
    } catch (IllegalArgumentException | MalformedException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  /** The place of the error, without Gson's advice, which is for programmers. */
  private static String place(JsonParseException trouble) {
    String message = String.valueOf(trouble.getMessage()).lines().findFirst().orElse("");
    int at = message.indexOf(" at line ");
    return at < 0 ? "" : message.substring(at);
  }

  private static void merge(JsonObject base, JsonObject changes, Class<?> tree, String path) {
    for (String name : changes.keySet()) {
      RecordComponent component =
          component(tree, name)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "unknown setting '" + path + name + "'; there are " + base.keySet()));
      JsonElement change = changes.get(name);
      if (!component.getType().isRecord()) {
        base.add(name, value(component.getType(), change, path + name));
      } else if (change.isJsonObject()) {
        JsonObject part = base.getAsJsonObject(name);
        merge(part, change.getAsJsonObject(), component.getType(), path + name + ".");
      } else {
        throw new IllegalArgumentException(path + name + " is an object, not " + change);
      }
    }
  }

  private static Optional<RecordComponent> component(Class<?> tree, String name) {
    return Arrays.stream(tree.getRecordComponents())
        .filter(component -> component.getName().equals(name))
        .findFirst();
  }

  private static JsonElement value(Class<?> type, JsonElement given, String path) {
    if (type == int.class || type == long.class) {
      return new JsonPrimitive(wholeNumber(type, given, path));
    }
    boolean fits =
        given instanceof JsonPrimitive primitive
            && (type == boolean.class ? primitive.isBoolean() : primitive.isString());
    if (!fits) {
      String wanted = type == boolean.class ? "true or false" : "text in quotes";
      throw new IllegalArgumentException(path + " is " + wanted + ", not " + given);
    }
    return given;
  }

  private static long wholeNumber(Class<?> type, JsonElement given, String path) {
    if (!(given instanceof JsonPrimitive primitive) || !primitive.isNumber()) {
      throw new IllegalArgumentException(path + " is a whole number, not " + given);
    }
    try {
      BigDecimal number = given.getAsBigDecimal();
      if (number.stripTrailingZeros().scale() > 0) {
        throw new IllegalArgumentException(path + " is a whole number, not " + given);
      }
      return type == int.class ? number.intValueExact() : number.longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException(path + " is out of range: " + given, e);
    }
  }
}
