package io.tunnel.server.metrics;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.SslHandler;
import java.util.Locale;

/**
 * Gives each request a target that begins with a slash. A target that names this server as well
 * ({@code http://HOST/PATH}) is cut, and its host replaces the header {@code Host}, as RFC 9112
 * demands. A target of another form fails the request.
 */
@Sharable
final class HttpTargets extends ChannelInboundHandlerAdapter {

  /** A target is neither a path nor a URL of this server's scheme. */
  static final class InvalidTargetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidTargetException(String message) {
      super(message, null, false, false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
      try {
        normalize(request, ctx.pipeline().get(SslHandler.class) == null ? "http://" : "https://");
      } catch (InvalidTargetException e) {
        request.setDecoderResult(DecoderResult.failure(e));
      }
    }
    ctx.fireChannelRead(message);
  }

  private static void normalize(HttpRequest request, String scheme) {
    String target = request.uri();
    if (target.startsWith("/")) {
      return;
    }
    if (!target.toLowerCase(Locale.ROOT).startsWith(scheme)) {
      throw new InvalidTargetException(
          "the target of a request is a path that begins with '/', or a URL of " + scheme);
    }
    int path = target.indexOf('/', scheme.length());
    int query = target.indexOf('?', scheme.length());
    int end = path >= 0 && (query < 0 || path < query) ? path : query;
    String host =
        end < 0 ? target.substring(scheme.length()) : target.substring(scheme.length(), end);
    if (host.isEmpty()) {
      throw new InvalidTargetException("the URL of a request names a host");
    }
    String rest = end < 0 ? "" : target.substring(end);
    request.setUri(rest.startsWith("/") ? rest : "/" + rest);
    // Of two Host headers neither is to be trusted; both stay, and the request is refused.
    if (request.headers().getAll(HttpHeaderNames.HOST).size() <= 1) {
      request.headers().set(HttpHeaderNames.HOST, host);
    }
  }
}
