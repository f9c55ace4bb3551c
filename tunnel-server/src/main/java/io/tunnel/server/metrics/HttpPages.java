package io.tunnel.server.metrics;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.tunnel.server.metrics.HttpServer.Visitors.Visit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Answers one request of a connection, then closes the connection. */
final class HttpPages extends SimpleChannelInboundHandler<FullHttpRequest> {

  private static final String TEXT = "text/plain; charset=utf-8";

  private static final String BEARER = "Bearer ";

  private static final long LINGER_S = 1;

  private final Executor maker;
  private final HttpServer.Pages pages;
  private final HttpServer.Visitors visitors;
  private final HttpHosts hosts;

  HttpPages(Executor maker, HttpServer.Pages pages, HttpServer.Visitors visitors, HttpHosts hosts) {
    this.hosts = hosts;
    this.maker = maker;
    this.pages = pages;
    this.visitors = visitors;
  }

  private record Page(HttpResponseStatus status, String type, String body) {}

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      ctx.writeAndFlush(response(refusal(request.decoderResult().cause()), false))
          .addListener(written -> lingerThenClose(ctx));
      return;
    }
    if (!hosts.areOurs(request.headers().getAll(HttpHeaderNames.HOST))) {
      respond(
          ctx,
          new Page(
              HttpResponseStatus.MISDIRECTED_REQUEST,
              TEXT,
              "this server has another name; ask it by its address, or add the name to"
                  + " net.httpHosts of its settings\n"),
          false);
      return;
    }
    boolean isHead = request.method().equals(HttpMethod.HEAD);
    if (!isHead && !request.method().equals(HttpMethod.GET)) {
      respond(
          ctx, new Page(HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, "GET and HEAD only\n"), false);
      return;
    }
    Optional<String> bearer = bearer(request);
    Visit visit = visitors.visit(ctx.pipeline(), bearer);
    String path = new QueryStringDecoder(request.uri()).path();
    if (visit != Visit.WELCOME
        && (path.equals("/metrics") || (visit == Visit.UNKNOWN && bearer.isPresent()))) {
      visitors.refused(ctx.pipeline(), bearer);
    }
    switch (path) {
      case "/health" -> respond(ctx, health(visit), isHead);
      case "/metrics" -> metrics(ctx, visit, isHead);
      default ->
          respond(
              ctx,
              new Page(HttpResponseStatus.NOT_FOUND, TEXT, "there are /health and /metrics\n"),
              isHead);
    }
  }

  private static Optional<String> bearer(FullHttpRequest request) {
    String said = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
    return said.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(said.substring(BEARER.length()).strip())
        : Optional.empty();
  }

  private static Page refusal(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      return new Page(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
          TEXT,
          "a header of 8 KiB at most is read\n");
    }
    if (cause instanceof TooLongHttpLineException) {
      return new Page(HttpResponseStatus.REQUEST_URI_TOO_LONG, TEXT, "a line of 4 KiB at most\n");
    }
    return new Page(HttpResponseStatus.BAD_REQUEST, TEXT, "this is not HTTP\n");
  }

  private Page health(Visit visit) {
    boolean isHealthy = pages.isHealthy();
    String known = isHealthy ? "{\"status\":\"UP\"}" : "{\"status\":\"DOWN\"}";
    return new Page(
        isHealthy ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
        "application/json",
        (visit == Visit.WELCOME ? pages.health() : known) + "\n");
  }

  private void metrics(ChannelHandlerContext ctx, Visit visit, boolean isHead) {
    switch (visit) {
      case WELCOME -> figures(ctx, isHead);
      case UNKNOWN ->
          respond(
              ctx,
              new Page(
                  HttpResponseStatus.UNAUTHORIZED,
                  TEXT,
                  "send a token as Authorization: Bearer TOKEN; 'tunnel security token create'"
                      + " makes one\n"),
              isHead);
      case NOT_PERMITTED ->
          respond(
              ctx,
              new Page(
                  HttpResponseStatus.FORBIDDEN, TEXT, "figures need the right read on cluster\n"),
              isHead);
    }
  }

  private void figures(ChannelHandlerContext ctx, boolean isHead) {
    try {
      maker.execute(() -> respond(ctx, figures(), isHead));
    } catch (RejectedExecutionException e) {
      respond(
          ctx,
          new Page(
              HttpResponseStatus.SERVICE_UNAVAILABLE, TEXT, "others wait for figures already\n"),
          isHead);
    }
  }

  private Page figures() {
    try {
      return new Page(
          HttpResponseStatus.OK, "text/plain; version=0.0.4; charset=utf-8", pages.metrics());
    } catch (IOException | RuntimeException e) {
      return new Page(HttpResponseStatus.INTERNAL_SERVER_ERROR, TEXT, e + "\n");
    }
  }

  /**
   * The client may still be sending: closing at once would reset the connection and could take the
   * answer from it.
   */
  private static void lingerThenClose(ChannelHandlerContext ctx) {
    if (ctx.pipeline().get(SslHandler.class) == null) {
      ((DuplexChannel) ctx.channel()).shutdownOutput();
    }
    var unused = ctx.executor().schedule(() -> ctx.close(), LINGER_S, TimeUnit.SECONDS);
  }

  private static void respond(ChannelHandlerContext ctx, Page page, boolean isHead) {
    ctx.writeAndFlush(response(page, isHead)).addListener(ChannelFutureListener.CLOSE);
  }

  private static FullHttpResponse response(Page page, boolean isHead) {
    byte[] body = page.body().getBytes(StandardCharsets.UTF_8);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            page.status(),
            isHead ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(body));
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, page.type());
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
    response.headers().set(HttpHeaderNames.CONNECTION, "close");
    if (page.status().equals(HttpResponseStatus.UNAUTHORIZED)) {
      response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    if (page.status().equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
    return response;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
