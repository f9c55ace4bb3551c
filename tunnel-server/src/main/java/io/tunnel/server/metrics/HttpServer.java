package io.tunnel.server.metrics;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.tunnel.server.disk.CannotStartException;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.security.files.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Serves {@code /health} and {@code /metrics}. Health is answered by the event loop that was asked,
 * of what it can see without waiting; figures are made by a thread of their own.
 */
public final class HttpServer implements AutoCloseable {

  private static final int LINE_BYTES_MAX = 4 * 1024;
  private static final int HEADER_BYTES_MAX = 8 * 1024;
  private static final int BODY_BYTES_MAX = 8 * 1024;

  private static final String PLAIN_BODY = "this port speaks TLS; ask with https\n";

  private static final byte[] PLAIN =
      ("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
              + "Content-Length: "
              + PLAIN_BODY.length()
              + "\r\n\r\n"
              + PLAIN_BODY)
          .getBytes(StandardCharsets.US_ASCII);

  private final Channel listener;

  /** Who is shown figures. Asked by event loops, which must not wait. */
  public interface Visitors {

    /** What a visitor is shown. */
    enum Visit {
      /** Everything. */
      WELCOME,
      /** Only whether the server is healthy, because who it is was not said, or is not known. */
      UNKNOWN,
      /** Only whether the server is healthy, because they may not see more. */
      NOT_PERMITTED
    }

    /** Shows everything to everybody. */
    Visitors ANYBODY =
        new Visitors() {
          @Override
          public Visit visit(ChannelPipeline connection, Optional<String> bearer) {
            return Visit.WELCOME;
          }

          @Override
          public void refused(ChannelPipeline connection, Optional<String> bearer) {
            throw new IllegalStateException("everybody is shown everything");
          }
        };

    /**
     * What a visitor is shown.
     *
     * @param connection on which the visitor came
     * @param bearer the token that was sent, if one was
     */
    Visit visit(ChannelPipeline connection, Optional<String> bearer);

    /** A visitor was refused what it asked for, or has sent a token that nobody has. */
    void refused(ChannelPipeline connection, Optional<String> bearer);
  }

  /** Who is shown what, and what connections are encrypted with, if they are. */
  public record Door(Visitors visitors, Optional<Tls> tls) {

    /** Without TLS, for everybody. */
    public static Door open() {
      return new Door(Visitors.ANYBODY, Optional.empty());
    }
  }

  /** What is served. */
  public interface Pages {
    /** Whether the server can do all of its work; asked by event loops, which must not wait. */
    boolean isHealthy();

    /** One JSON object; asked by event loops, which must not wait. */
    String health();

    /** Prometheus' text format. */
    String metrics() throws IOException;
  }

  /**
   * Binds and begins to serve on {@code eventLoops}.
   *
   * @param config how many connections there are at the same time, and by which names they ask
   * @param maker makes figures; refuses when too many wait for them
   * @param door who is shown what, and what connections are encrypted with
   */
  public HttpServer(
      InetSocketAddress address,
      EventLoopGroup eventLoops,
      NetConfig config,
      Executor maker,
      Pages pages,
      Door door)
      throws IOException {
    HttpConnections connections = new HttpConnections(config.limits().httpConnectionsMax());
    HttpHosts hosts = door.tls().isPresent() ? HttpHosts.ALL : HttpHosts.of(config);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoops)
            .channel(serverChannelType())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel nettyChannel) {
                    nettyChannel.pipeline().addLast(connections);
                    door.tls()
                        .ifPresent(
                            tls ->
                                nettyChannel
                                    .pipeline()
                                    .addLast(tls.handler(() -> new Tls.PlainRefusal(PLAIN))));
                    nettyChannel
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(LINE_BYTES_MAX, HEADER_BYTES_MAX, BODY_BYTES_MAX),
                            new HttpObjectAggregator(BODY_BYTES_MAX, true),
                            new HttpPages(maker, pages, door.visitors(), hosts));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new CannotStartException(
          CannotStartException.Reason.IN_USE,
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
}
