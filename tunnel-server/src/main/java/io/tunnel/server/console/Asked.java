package io.tunnel.server.console;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * A request of a browser. The path is compared as it was sent, without decoding, so each page has
 * one path.
 */
final class Asked {

  private final HttpMethod method;
  private final String path;
  private final String query;
  private final HttpHeaders headers;
  private final byte[] body;
  private final SocketAddress from;
  private final int port;
  private final boolean isEncrypted;

  /** Copies what outlives the request's buffers. */
  Asked(ChannelHandlerContext ctx, FullHttpRequest request) {
    String target = request.uri();
    int mark = target.indexOf('?');
    method = request.method();
    path = mark < 0 ? target : target.substring(0, mark);
    query = mark < 0 ? "" : target.substring(mark + 1);
    headers = request.headers();
    body = ByteBufUtil.getBytes(request.content());
    from = ctx.channel().remoteAddress();
    port = ctx.channel().localAddress() instanceof InetSocketAddress own ? own.getPort() : 0;
    isEncrypted = ctx.pipeline().get(SslHandler.class) != null;
  }

  /** Whether the method is this one. */
  boolean is(HttpMethod other) {
    return method.equals(other);
  }

  /** The method. */
  HttpMethod method() {
    return method;
  }

  /** The path, as it was sent. */
  String path() {
    return path;
  }

  /** The text behind the question mark; empty without one. */
  String query() {
    return query;
  }

  /** The value of a header; empty if it is missing or comes more than once. */
  Optional<String> header(CharSequence name) {
    List<String> all = headers.getAll(name);
    return all.size() == 1 ? Optional.of(all.get(0)) : Optional.empty();
  }

  /** All values of a header. */
  List<String> headers(CharSequence name) {
    return headers.getAll(name);
  }

  /** The body, which is not to be changed. */
  byte[] body() {
    return body;
  }

  /** The browser's address. */
  SocketAddress from() {
    return from;
  }

  /** The port of this server. */
  int port() {
    return port;
  }

  /** Whether the connection is encrypted. */
  boolean isEncrypted() {
    return isEncrypted;
  }
}
