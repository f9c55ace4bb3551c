package io.tunnel.server.metrics;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Serves {@code GET /health} and {@code GET /metrics}. Pages are made on another thread than the
 * one that serves rows.
 */
public final class HttpServer implements AutoCloseable {

  private static final int REQUEST_BYTES_MAX = 8 * 1024;

  private final Channel listener;

  /** What is served. */
  public interface Pages {
    /** Whether the server can do all of its work. */
    boolean isHealthy();

    /** One JSON object. */
    String health();

    /** Prometheus' text format. */
    String metrics() throws IOException;
  }

  /** Binds and begins to serve on {@code eventLoops}, making pages on {@code maker}. */
  public HttpServer(
      InetSocketAddress address, EventLoopGroup eventLoops, Executor maker, Pages pages)
      throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoops)
            .channel(serverChannelType())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel nettyChannel) {
                    nettyChannel
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(),
                            new HttpObjectAggregator(REQUEST_BYTES_MAX),
                            new Handler(maker, pages));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot serve HTTP on "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " ("
              + bound.cause().getMessage()
              + "); choose another with --http-port, 0 for any free one, -1 for none",
          bound.cause());
    }
    listener = bound.channel();
  }

  private static Class<? extends ServerSocketChannel> serverChannelType() {
    return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** Where it listens. */
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
  }

  private static final class Handler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Executor maker;
    private final Pages pages;

    Handler(Executor maker, Pages pages) {
      this.maker = maker;
      this.pages = pages;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      HttpMethod method = request.method();
      String path = request.uri();
      try {
        maker.execute(() -> respond(ctx, method, path));
      } catch (RejectedExecutionException e) {
        ctx.close();
      }
    }

    private void respond(ChannelHandlerContext ctx, HttpMethod method, String path) {
      FullHttpResponse response;
      try {
        response = page(method, path);
      } catch (IOException | RuntimeException e) {
        response = text(HttpResponseStatus.INTERNAL_SERVER_ERROR, "text/plain", e + "\n");
      }
      ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    private FullHttpResponse page(HttpMethod method, String path) throws IOException {
      if (!method.equals(HttpMethod.GET)) {
        return text(HttpResponseStatus.METHOD_NOT_ALLOWED, "text/plain", "GET only\n");
      }
      return switch (path) {
        case "/health" ->
            text(
                pages.isHealthy() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE,
                "application/json",
                pages.health() + "\n");
        case "/metrics" ->
            text(
                HttpResponseStatus.OK, "text/plain; version=0.0.4; charset=utf-8", pages.metrics());
        default ->
            text(HttpResponseStatus.NOT_FOUND, "text/plain", "there are /health and /metrics\n");
      };
    }

    private static FullHttpResponse text(HttpResponseStatus status, String type, String body) {
      FullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
      response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
      response.headers().set(HttpHeaderNames.CONNECTION, "close");
      return response;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
