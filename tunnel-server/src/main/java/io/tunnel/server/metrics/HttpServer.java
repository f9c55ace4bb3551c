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
 * Serves {@code /health} and {@code /metrics}. The event loop answers health requests from state
 * that it can read without waiting; a separate thread makes figures.
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

  /** Decides which visitors see figures. Called by event loops, so it must not wait. */
  public interface Visitors {

    /** The pages that a visitor may see. */
    enum Visit {
      /** Everything. */
      WELCOME,
      /** Only the health page, because the visitor sent no valid token. */
      UNKNOWN,
      /** Only the health page, because the visitor lacks the right. */
      NOT_PERMITTED
    }

    /** Shows all pages to every visitor. */
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
     * The pages that a visitor may see.
     *
     * @param connection the visitor's connection
     * @param bearer the token that the visitor sent, if any
     */
    Visit visit(ChannelPipeline connection, Optional<String> bearer);

    /** A visitor was refused, or has sent an unknown token. */
    void refused(ChannelPipeline connection, Optional<String> bearer);
  }

  /** The visitors' rights, and TLS if connections are encrypted. */
  public record Door(Visitors visitors, Optional<Tls> tls) {

    /** Without TLS, open to every visitor. */
    public static Door open() {
      return new Door(Visitors.ANYBODY, Optional.empty());
    }
  }

  /** The pages that are served. */
  public interface Pages {
    /** Whether the server works fully. Called by event loops, so it must not wait. */
    boolean isHealthy();

    /** One JSON object. Called by event loops, so it must not wait. */
    String health();

    /** Prometheus' text format. */
    String metrics() throws IOException;
  }

  /**
   * Binds and begins to serve on {@code eventLoops}.
   *
   * @param config the limit of connections, and the accepted host names
   * @param maker the thread that makes figures; rejects requests when too many wait
   * @param door the visitors' rights and TLS
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

  /** The address that the server listens on. */
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
  }
}
