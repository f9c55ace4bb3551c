package io.tunnel.server.metrics;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpChunkedInput;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.tunnel.server.metrics.HttpServer.Visitors.Visit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Answers one request of a connection, then closes the connection. */
final class HttpPages extends SimpleChannelInboundHandler<FullHttpRequest> {

  private static final String BEARER = "Bearer ";

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

  private record Page(HttpResponseStatus status, String type, String body) {

    static Page of(HttpRefusal refusal) {
      return new Page(refusal.status(), HttpRefusal.TYPE, refusal.body());
    }

    static Page refusal(HttpResponseStatus status, String code, String message) {
      return of(new HttpRefusal(status, code, message));
    }
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      Page refused = Page.of(HttpRefusal.unreadable(request.decoderResult().cause()));
      ctx.writeAndFlush(response(refused, false))
          .addListener(written -> HttpRefusal.lingerThenClose(ctx));
      return;
    }
    if (!hosts.areOurs(request.headers().getAll(HttpHeaderNames.HOST))) {
      respond(
          ctx,
          Page.refusal(
              HttpResponseStatus.MISDIRECTED_REQUEST,
              "HOST",
              "this server has another name; ask it by its address, or add the name to"
                  + " net.httpHosts of its settings"),
          false);
      return;
    }
    boolean isHead = request.method().equals(HttpMethod.HEAD);
    if (!isHead && !request.method().equals(HttpMethod.GET)) {
      respond(
          ctx,
          Page.refusal(HttpResponseStatus.METHOD_NOT_ALLOWED, "METHOD", "GET and HEAD only"),
          false);
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
      case "/metrics" -> metrics(ctx, visit, new Form(isHead, request.protocolVersion()));
      default ->
          respond(
              ctx,
              Page.refusal(
                  HttpResponseStatus.NOT_FOUND, "NOT_FOUND", "there are /health and /metrics"),
              isHead);
    }
  }

  private static Optional<String> bearer(FullHttpRequest request) {
    String said = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
    return said.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(said.substring(BEARER.length()).strip())
        : Optional.empty();
  }

  private Page health(Visit visit) {
    boolean isHealthy = pages.isHealthy();
    String known = isHealthy ? "{\"status\":\"UP\"}" : "{\"status\":\"DOWN\"}";
    return new Page(
        isHealthy ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
        "application/json",
        (visit == Visit.WELCOME ? pages.health() : known) + "\n");
  }

  /**
   * What a client can read.
   *
   * @param version without chunks before HTTP/1.1: the end of the connection ends the page
   */
  private record Form(boolean isHead, HttpVersion version) {

    boolean hasChunks() {
      return version.compareTo(HttpVersion.HTTP_1_1) >= 0;
    }
  }

  private void metrics(ChannelHandlerContext ctx, Visit visit, Form form) {
    switch (visit) {
      case WELCOME -> figures(ctx, form);
      case UNKNOWN ->
          respond(
              ctx,
              Page.refusal(
                  HttpResponseStatus.UNAUTHORIZED,
                  "NOT_AUTHENTICATED",
                  "send a token as Authorization: Bearer TOKEN; 'tunnel security token create'"
                      + " makes one"),
              form.isHead());
      case NOT_PERMITTED ->
          respond(
              ctx,
              Page.refusal(
                  HttpResponseStatus.FORBIDDEN,
                  "NOT_PERMITTED",
                  "figures need the right read on cluster"),
              form.isHead());
    }
  }

  private void figures(ChannelHandlerContext ctx, Form form) {
    try {
      maker.execute(() -> makeFigures(ctx, form));
    } catch (RejectedExecutionException e) {
      respond(
          ctx,
          Page.refusal(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "BUSY",
              "others wait for figures already; try again later"),
          form.isHead());
    }
  }

  private void makeFigures(ChannelHandlerContext ctx, Form form) {
    Iterator<CharSequence> text;
    try {
      text = pages.metrics();
    } catch (IOException | RuntimeException e) {
      respond(
          ctx,
          Page.refusal(HttpResponseStatus.INTERNAL_SERVER_ERROR, "INTERNAL", e.toString()),
          form.isHead());
      return;
    }
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    describe(head, "text/plain; version=0.0.4; charset=utf-8");
    HttpUtil.setTransferEncodingChunked(head, form.hasChunks());
    ctx.write(head);
    ctx.writeAndFlush(
            form.isHead()
                ? LastHttpContent.EMPTY_LAST_CONTENT
                : new HttpChunkedInput(new HttpText(text)))
        .addListener(ChannelFutureListener.CLOSE);
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
    describe(response, page.type());
    response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
    if (page.status().equals(HttpResponseStatus.UNAUTHORIZED)) {
      response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    if (page.status().equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      response.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
    return response;
  }

  private static void describe(HttpResponse response, String type) {
    HttpServer.HEADERS.forEach(response.headers()::set);
    response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
    response.headers().set(HttpHeaderNames.CONNECTION, "close");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
