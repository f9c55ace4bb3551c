package io.tunnel.server.metrics;

import com.google.gson.JsonObject;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/**
 * The HTTP port refuses a request. All refusals of the port have one form, an object of JSON.
 *
 * @param code for programs; docs/operate/console.md lists the codes
 * @param message for people
 */
public record HttpRefusal(HttpResponseStatus status, String code, String message) {

  /** The content type of refusals. */
  public static final String TYPE = "application/json; charset=utf-8";

  private static final long LINGER_S = 1;

  /** The refusal of a request that could not be read, by the failure of its decoder. */
  public static HttpRefusal unreadable(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      return new HttpRefusal(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
          "HEADER_TOO_LARGE",
          "the headers of a request have at most " + HttpServer.HEADER_BYTES_MAX + " bytes");
    }
    if (cause instanceof TooLongHttpLineException) {
      return new HttpRefusal(
          HttpResponseStatus.REQUEST_URI_TOO_LONG,
          "LINE_TOO_LONG",
          "the first line of a request has at most " + HttpServer.LINE_BYTES_MAX + " bytes");
    }
    if (cause instanceof TooLongHttpContentException) {
      return new HttpRefusal(
          HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
          "BODY_TOO_LARGE",
          String.valueOf(cause.getMessage()));
    }
    return new HttpRefusal(
        HttpResponseStatus.BAD_REQUEST,
        "INVALID_REQUEST",
        cause instanceof HttpTargets.InvalidTargetException
            ? String.valueOf(cause.getMessage())
            : "this is not HTTP/1.1");
  }

  /** The body: {@code code} and {@code message} on one line. */
  public String body() {
    JsonObject said = new JsonObject();
    said.addProperty("code", code);
    said.addProperty("message", message);
    return said + "\n";
  }

  /**
   * Closes a connection behind its last answer. The client may still be sending: closing at once
   * would reset the connection and could take the answer from the client.
   */
  public static void lingerThenClose(ChannelHandlerContext ctx) {
    if (ctx.pipeline().get(SslHandler.class) == null
        && ctx.channel() instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    }
    var unused = ctx.executor().schedule(() -> ctx.close(), LINGER_S, TimeUnit.SECONDS);
  }
}
