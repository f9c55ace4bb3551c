package io.tunnel.sdk.profile;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.tunnel.codec.MalformedException;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.security.Secret;
import io.tunnel.wire.control.Json;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A profile in a JSON file:
 *
 * <pre>{@code
 * {"endpoints": "h1:7650,h2:7650", "tls": true, "authority": "authority.crt",
 *  "key": {"id": "...", "secret": "..."}, "certificate": "me.crt", "certificateKey": "me.key"}
 * }</pre>
 *
 * Every member is optional. Paths are relative to the file. Error messages name members, and show
 * only values of endpoints: a value in the wrong place may be a secret.
 */
final class ProfileFile {

  private static final List<String> MEMBERS =
      List.of("endpoints", "tls", "authority", "key", "certificate", "certificateKey");

  private static final List<String> KEY_MEMBERS = List.of("id", "secret");
  private static final String KEY = "key.";

  private final Path file;

  private ProfileFile(Path file) {
    this.file = file;
  }

  /**
   * Reads the file.
   *
   * @throws ProfileException when the file is missing, other users can read it, it is not JSON, or
   *     a member is unknown
   */
  static Settings read(Path file) {
    SmallFile.requirePrivate(file);
    String text = SmallFile.text(file);
    ProfileFile reader = new ProfileFile(file);
    try {
      JsonElement json = Json.ofText(text, JsonElement.class);
      Json.requireUniqueNames(text);
      if (!json.isJsonObject()) {
        throw reader.wrong("it is not an object, with braces");
      }
      return reader.settings(json.getAsJsonObject());
    } catch (MalformedException e) {
      throw reader.wrong(e.getMessage().replaceFirst("^not a JsonElement: ", ""));
    } catch (IllegalArgumentException e) {
      throw e instanceof ProfileException ? e : reader.wrong(e.getMessage());
    }
  }

  private Settings settings(JsonObject object) {
    requireKnown(object, MEMBERS, "");
    Optional<JsonObject> key = key(object);
    return new Settings(
        text(object, "endpoints", ""),
        tls(object),
        text(object, "authority", "").map(this::authority),
        key.flatMap(of -> text(of, "id", KEY)),
        key.flatMap(of -> text(of, "secret", KEY)).map(Secret::of),
        text(object, "certificate", "").map(path -> beside("certificate", path)),
        text(object, "certificateKey", "").map(path -> beside("certificateKey", path)));
  }

  private Optional<JsonObject> key(JsonObject object) {
    JsonElement key = object.get("key");
    if (key == null) {
      return Optional.empty();
    }
    if (!key.isJsonObject()) {
      throw wrong("key is an object with the members " + KEY_MEMBERS);
    }
    requireKnown(key.getAsJsonObject(), KEY_MEMBERS, KEY);
    return Optional.of(key.getAsJsonObject());
  }

  private void requireKnown(JsonObject object, List<String> known, String path) {
    for (String name : object.keySet()) {
      if (!known.contains(name)) {
        throw wrong("unknown member '" + path + name + "'; there are " + known);
      }
    }
  }

  private Pem authority(String value) {
    return value.startsWith("-----BEGIN ") ? Pem.text(value) : Pem.file(beside("authority", value));
  }

  private Path beside(String name, String path) {
    try {
      return file.resolveSibling(path);
    } catch (InvalidPathException e) {
      throw wrong(name + " is not the name of a file");
    }
  }

  private Optional<String> text(JsonObject object, String name, String path) {
    JsonElement value = object.get(name);
    if (value == null) {
      return Optional.empty();
    }
    if (!(value instanceof JsonPrimitive primitive) || !primitive.isString()) {
      throw wrong(path + name + " is a text in quotes");
    }
    return Optional.of(primitive.getAsString());
  }

  private Optional<Boolean> tls(JsonObject object) {
    JsonElement value = object.get("tls");
    if (value == null) {
      return Optional.empty();
    }
    if (!(value instanceof JsonPrimitive primitive) || !primitive.isBoolean()) {
      throw wrong("tls is true or false, without quotes");
    }
    return Optional.of(primitive.getAsBoolean());
  }

  private ProfileException wrong(String why) {
    return new ProfileException("profile " + file + ": " + why);
  }
}
