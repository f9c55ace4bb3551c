package io.tunnel.server.console;

import com.google.gson.JsonElement;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.tunnel.server.metrics.HttpRefusal;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** An answer of the console: status, body and headers. The body is never changed. */
final class Answer {

  private final HttpResponseStatus status;
  private final byte[] body;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private Optional<Consumer<ChannelHandlerContext>> goesOn = Optional.empty();

  /**
   * An answer without headers.
   *
   * @param body belongs to the answer from now on
   */
  Answer(HttpResponseStatus status, byte[] body) {
    this.status = status;
    this.body = body;
  }

  /** JSON that no cache may keep. */
  static Answer json(HttpResponseStatus status, byte[] body) {
    return new Answer(status, body)
        .with("content-type", HttpRefusal.TYPE)
        .with("cache-control", "no-store");
  }

  /** JSON that no cache may keep. */
  static Answer json(JsonElement body) {
    return json(HttpResponseStatus.OK, body.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** A refusal: an object with {@code code} and {@code message}. */
  static Answer refusal(HttpResponseStatus status, String code, String message) {
    return refusal(new HttpRefusal(status, code, message));
  }

  /** A refusal. */
  static Answer refusal(HttpRefusal refusal) {
    return json(refusal.status(), refusal.body().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * An answer whose body goes on until the connection closes.
   *
   * @param begin runs on the connection's event loop when the head of the answer was sent
   */
  static Answer events(Consumer<ChannelHandlerContext> begin) {
    Answer answer =
        new Answer(HttpResponseStatus.OK, new byte[0])
            .with("content-type", "text/event-stream; charset=utf-8")
            .with("cache-control", "no-store");
    answer.goesOn = Optional.of(begin);
    return answer;
  }

  /** What writes the body, if it goes on. */
  Optional<Consumer<ChannelHandlerContext>> goesOn() {
    return goesOn;
  }

  /** Adds a header, and returns this answer. */
  Answer with(String header, String value) {
    headers.put(header, value);
    return this;
  }

  HttpResponseStatus status() {
    return status;
  }

  byte[] body() {
    return body;
  }

  Map<String, String> headers() {
    return headers;
  }
}
