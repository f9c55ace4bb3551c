package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.MalformedException;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.nio.charset.StandardCharsets;

/** Payloads as text, and what is refused of them. */
final class JsonPayloads {
  private JsonPayloads() {}

  static JsonObject json(Control payload) {
    return JsonParser.parseString(text(payload)).getAsJsonObject();
  }

  static String text(Control payload) {
    return Json.toText((Record) payload);
  }

  static <T extends Control> T decode(String text, Class<T> type) {
    return Json.decode(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8), type);
  }

  static void assertRefused(JsonObject object, Class<? extends Control> type, String message) {
    assertRefused(object.toString(), type, message);
  }

  static void assertRefused(String text, Class<? extends Control> type, String message) {
    String json = text.contains("\"") ? text : text.replace('\'', '"');
    assertThatExceptionOfType(MalformedException.class)
        .as("%s as %s", json.substring(0, Math.min(200, json.length())), type.getSimpleName())
        .isThrownBy(() -> Json.decode(json.getBytes(StandardCharsets.UTF_8), type))
        .withMessageContaining(type.getSimpleName())
        .withMessageContaining(message);
  }
}
