package io.tunnel.server.console;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.tunnel.server.metrics.HttpRefusal;
import io.tunnel.server.metrics.HttpServer;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One connection of a browser. It serves one request at a time. A request that comes before the
 * answer to the request in front of it is dropped, and the connection closes behind that answer:
 * browsers do not pipeline.
 *
 * <p>One deadline bounds each state of the connection, and is not moved by single bytes: a whole
 * request has to come, or an answer to be taken, within {@value #STATE_S_MAX} s.
 */
final class ConsoleConnection extends SimpleChannelInboundHandler<FullHttpRequest> {

  /** Longest wait for a whole request, and for the end of its answer, in seconds. */
  static final long STATE_S_MAX = 60;

  private final ConsoleSite site;
  private final boolean hasPlace;
  private Optional<ScheduledFuture<?>> deadline = Optional.empty();
  private State state = State.IDLE;

  /** What the connection waits for. */
  private enum State {
    /** A request. */
    IDLE,
    /** The answer to a request; more requests may follow. */
    ASKED,
    /** The last answer. Further requests are dropped. */
    LEAVING
  }

  ConsoleConnection(ConsoleSite site, boolean hasPlace) {
    this.site = site;
    this.hasPlace = hasPlace;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    move(ctx, State.IDLE);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    deadline.ifPresent(running -> running.cancel(false));
    ctx.fireChannelInactive();
  }

  private void move(ChannelHandlerContext ctx, State next) {
    state = next;
    deadline.ifPresent(running -> running.cancel(false));
    deadline =
        Optional.of(ctx.executor().schedule(() -> ctx.close(), STATE_S_MAX, TimeUnit.SECONDS));
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (state != State.IDLE) {
      state = State.LEAVING;
      return;
    }
    boolean isWhole = request.decoderResult().isSuccess();
    if (isWhole && !site.has(request.uri())) {
      move(ctx, State.LEAVING);
      ctx.fireChannelRead(request.retain());
      return;
    }
    boolean stays = isWhole && hasPlace && HttpUtil.isKeepAlive(request);
    move(ctx, stays ? State.ASKED : State.LEAVING);
    if (!isWhole) {
      refuse(ctx, HttpRefusal.unreadable(request.decoderResult().cause()));
    } else if (!hasPlace) {
      answer(ctx, site.full(), false);
    } else {
      boolean isHead = request.method().equals(HttpMethod.HEAD);
      var unused =
          site.answer(new Asked(ctx, request))
              .thenAccept(answer -> onLoop(ctx, () -> answer(ctx, answer, isHead)));
    }
  }

  /** The sender may go on with a request that is not read. */
  private void refuse(ChannelHandlerContext ctx, HttpRefusal refusal) {
    ctx.writeAndFlush(response(Answer.refusal(refusal), false))
        .addListener(written -> HttpRefusal.lingerThenClose(ctx));
  }

  private static void onLoop(ChannelHandlerContext ctx, Runnable task) {
    if (ctx.executor().inEventLoop()) {
      task.run();
    } else {
      ctx.executor().execute(task);
    }
  }

  private void answer(ChannelHandlerContext ctx, Answer answer, boolean isHead) {
    if (!ctx.channel().isActive()) {
      return;
    }
    if (!site.hold(answer.body().length)) {
      answer(ctx, site.overloaded(), isHead);
      return;
    }
    if (answer.goesOn().isPresent()) {
      beginEvents(ctx, answer);
      return;
    }
    ChannelFuture written = ctx.writeAndFlush(response(answer, isHead));
    written.addListener(done -> site.letGo(answer.body().length));
    if (state == State.LEAVING) {
      written.addListener(ChannelFutureListener.CLOSE);
    } else {
      written.addListener(done -> taken(ctx));
    }
  }

  /** No deadline runs any more: the feed closes a connection that takes nothing. */
  private void beginEvents(ChannelHandlerContext ctx, Answer answer) {
    state = State.LEAVING;
    deadline.ifPresent(running -> running.cancel(false));
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, answer.status());
    HttpServer.HEADERS.forEach(head.headers()::set);
    answer.headers().forEach(head.headers()::set);
    head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    ctx.write(head);
    answer.goesOn().orElseThrow().accept(ctx);
  }

  /** The browser has taken an answer. */
  private void taken(ChannelHandlerContext ctx) {
    if (state == State.LEAVING) {
      ctx.close();
    } else {
      move(ctx, State.IDLE);
    }
  }

  private FullHttpResponse response(Answer answer, boolean isHead) {
    boolean hasBody = !isHead && !answer.status().equals(HttpResponseStatus.NOT_MODIFIED);
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            answer.status(),
            hasBody ? Unpooled.wrappedBuffer(answer.body()) : Unpooled.EMPTY_BUFFER);
    HttpServer.HEADERS.forEach(response.headers()::set);
    answer.headers().forEach(response.headers()::set);
    if (!answer.status().equals(HttpResponseStatus.NOT_MODIFIED)) {
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, answer.body().length);
    }
    response
        .headers()
        .set(HttpHeaderNames.CONNECTION, state == State.LEAVING ? "close" : "keep-alive");
    return response;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
