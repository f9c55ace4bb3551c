package io.tunnel.server.catalog.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.wire.control.Json;
import java.util.Map;

/**
 * Texts of the catalog in JSON, and what a reader does with members that a newer build has noted.
 *
 * <p>A text is <em>whole</em> or <em>open</em>. A member that this build does not know makes a
 * whole text one of a newer build: it is refused by name, since the text is written again with each
 * change, and the member would be lost. An open text may have further members at its top, which are
 * skipped, and kept when the text is written again. Its member {@code needs} lists the features
 * without which the text must not be read; a text that needs an unknown feature is refused by name.
 */
public final class StoredText {

  private static final String NEEDS = "needs";

  private StoredText() {}

  /**
   * Reads a text that has no further members.
   *
   * @param name of the text, for messages
   * @throws MalformedException when the text is not of the type
   * @throws NewerFormatException for a member that this build does not know
   */
  public static <T extends Record> T whole(String name, String text, Class<T> type) {
    T value = Json.ofText(text, type);
    requireKnown(name, JsonParser.parseString(text), JsonParser.parseString(Json.toText(value)));
    return value;
  }

  /**
   * Reads a text that may have further members at its top.
   *
   * @param name of the text, for messages
   * @throws MalformedException when the text is not of the type
   * @throws NewerFormatException for a feature or a nested member that this build does not know
   */
  public static <T extends Record> T open(String name, String text, Class<T> type) {
    JsonObject stored = object(name, text);
    // First: a text that needs more may well look like one of another type.
    requireFeatures(name, stored.get(NEEDS));
    T value = Json.ofText(text, type);
    JsonObject known = object(name, Json.toText(value));
    for (Map.Entry<String, JsonElement> member : known.entrySet()) {
      requireKnown(name, stored.get(member.getKey()), member.getValue());
    }
    return value;
  }

  /** The members of an open text that are not the type's, as one object. */
  public static <T extends Record> JsonObject others(String name, String text, T value) {
    JsonObject others = object(name, text);
    object(name, Json.toText(value)).keySet().forEach(others::remove);
    return others;
  }

  /** The open text of a value with other members that its former text had. */
  public static String with(JsonObject others, Record value) {
    if (others.isEmpty()) {
      return Json.toText(value);
    }
    JsonObject text = JsonParser.parseString(Json.toText(value)).getAsJsonObject();
    others.entrySet().forEach(member -> text.add(member.getKey(), member.getValue()));
    return text.toString();
  }

  private static JsonObject object(String name, String text) {
    try {
      return JsonParser.parseString(text).getAsJsonObject();
    } catch (RuntimeException e) {
      throw new MalformedException("the catalog's text " + name + " is no object: " + e);
    }
  }

  private static void requireFeatures(String name, JsonElement needs) {
    if (needs == null) {
      return;
    }
    if (!needs.isJsonArray()) {
      throw new MalformedException(
          "the catalog's text " + name + " has a member 'needs' that is no list of features");
    }
    for (JsonElement feature : needs.getAsJsonArray()) {
      String label = feature.isJsonPrimitive() ? feature.getAsString() : feature.toString();
      if (!FormatFeature.isKnown(label)) {
        throw new NewerFormatException(
            "the catalog's text " + name + " needs the feature '" + label + "'");
      }
    }
  }

  /** Compares a stored text with the text that this build would store, at any depth. */
  private static void requireKnown(String name, JsonElement stored, JsonElement known) {
    if (stored instanceof JsonObject object && known instanceof JsonObject now) {
      for (Map.Entry<String, JsonElement> member : object.entrySet()) {
        if (!now.has(member.getKey()) && !member.getValue().isJsonNull()) {
          throw new NewerFormatException(
              "the catalog's text " + name + " with the member '" + member.getKey() + "'");
        }
        requireKnown(name, member.getValue(), now.get(member.getKey()));
      }
    } else if (stored instanceof JsonArray array && known instanceof JsonArray now) {
      for (int i = 0; i < Math.min(array.size(), now.size()); i++) {
        requireKnown(name, array.get(i), now.get(i));
      }
    }
  }
}
