package io.tunnel.server.metrics;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.tunnel.server.disk.CannotStartException;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.security.files.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Serves {@code /health} and {@code /metrics}, and a site beside them. One event loop, which no
 * delivery shares, serves all connections. It answers health requests from state that it can read
 * without waiting; a separate thread makes figures.
 */
public final class HttpServer implements AutoCloseable {

  /** Headers of all answers: a page runs its own scripts only, and no other page may frame it. */
  public static final Map<String, String> HEADERS =
      Map.of(
          "content-security-policy",
          "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self';"
              + " img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none';"
              + " form-action 'none'; frame-ancestors 'none'",
          "x-content-type-options",
          "nosniff",
          "referrer-policy",
          "no-referrer",
          "cross-origin-opener-policy",
          "same-origin");

  static final int LINE_BYTES_MAX = 4 * 1024;
  static final int HEADER_BYTES_MAX = 8 * 1024;
  private static final int BODY_BYTES_MAX = 8 * 1024;

  /** Seconds in which the event loop ends. */
  private static final long STOP_S_MAX = 10;

  private static final byte[] PLAIN =
      plain(
          new HttpRefusal(
              HttpResponseStatus.BAD_REQUEST, "TLS", "this port speaks TLS; ask with https"));

  private static final HttpTargets TARGETS = new HttpTargets();

  private final EventLoopGroup eventLoop;
  private final ChannelGroup open;
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

  /**
   * Serves further paths, on connections that stay open for more requests. These connections have
   * places of their own, so that the site's visitors never take the place of a probe. Called by the
   * event loop, so it must not wait.
   */
  public interface Site {

    /** Serves nothing. */
    Site NONE =
        new Site() {
          @Override
          public boolean has(String target) {
            return false;
          }

          @Override
          public int connectionsMax() {
            return 0;
          }

          @Override
          public int bodyBytesMax() {
            return BODY_BYTES_MAX;
          }

          @Override
          public ChannelHandler handler(boolean hasPlace) {
            throw new IllegalStateException("no request is for this site");
          }
        };

    /** Whether a request with this target is for the site. */
    boolean has(String target);

    /** Connections of other machines at the same time, and as many of this machine. */
    int connectionsMax();

    /** Longest body of a request, in bytes. */
    int bodyBytesMax();

    /**
     * A new handler, for whole requests of one connection. The handler passes on requests that are
     * not for the site, and closes the connection when it is idle.
     *
     * @param hasPlace false when all places are taken; the handler then refuses the first request
     *     and closes the connection
     */
    ChannelHandler handler(boolean hasPlace);
  }

  /** The pages that are served. */
  public interface Pages {
    /** Whether the server works fully. Called by event loops, so it must not wait. */
    boolean isHealthy();

    /** One JSON object. Called by event loops, so it must not wait. */
    String health();

    /**
     * Prometheus' text format, in pieces, each of which is valid until the next is taken. An event
     * loop takes a piece when the visitor has read the pieces before. May block; taking a piece
     * must not wait.
     */
    Iterator<CharSequence> metrics() throws IOException;
  }

  /**
   * Binds and begins to serve.
   *
   * @param config the limit of connections, and the accepted host names
   * @param maker the thread that makes figures; rejects requests when too many wait
   * @param door the visitors' rights and TLS
   * @param site further paths
   */
  public HttpServer(
      InetSocketAddress address,
      NetConfig config,
      Executor maker,
      Pages pages,
      Door door,
      Site site)
      throws IOException {
    HttpConnections connections =
        new HttpConnections(config.limits().httpConnectionsMax(), site.connectionsMax());
    HttpHosts hosts = HttpHosts.of(config, door.tls().isPresent());
    eventLoop = NetServer.eventLoops("http", 1);
    open = new DefaultChannelGroup(eventLoop.next());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoop)
            .channel(NetServer.serverChannelType())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel nettyChannel) {
                    open.add(nettyChannel);
                    nettyChannel.pipeline().addLast(connections);
                    door.tls()
                        .ifPresent(
                            tls ->
                                nettyChannel
                                    .pipeline()
                                    .addLast(tls.handler(() -> new Tls.PlainRefusal(PLAIN))));
                    reading().forEach(nettyChannel.pipeline()::addLast);
                    nettyChannel
                        .pipeline()
                        .addLast(
                            new HttpFirstRequest(connections, site),
                            whole(BODY_BYTES_MAX),
                            new ChunkedWriteHandler(),
                            new HttpPages(maker, pages, door.visitors(), hosts));
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      endEventLoop();
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

  /** A refusal as bytes, for a connection that is not encrypted. */
  private static byte[] plain(HttpRefusal refusal) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + refusal.status() + "\r\n");
    HEADERS.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    byte[] body = refusal.body().getBytes(StandardCharsets.UTF_8);
    head.append("content-type: " + HttpRefusal.TYPE + "\r\nconnection: close\r\n")
        .append("content-length: " + body.length + "\r\n\r\n");
    byte[] first = head.toString().getBytes(StandardCharsets.US_ASCII);
    byte[] whole = Arrays.copyOf(first, first.length + body.length);
    System.arraycopy(body, 0, whole, first.length, body.length);
    return whole;
  }

  /**
   * The first handlers of a connection, which read its bytes as requests with targets that begin
   * with a slash.
   */
  public static List<ChannelHandler> reading() {
    return List.of(new HttpServerCodec(LINE_BYTES_MAX, HEADER_BYTES_MAX, BODY_BYTES_MAX), TARGETS);
  }

  /** Makes whole requests with bodies of at most that many bytes; longer ones are failures. */
  public static ChannelHandler whole(int bodyBytesMax) {
    return new HttpWhole(bodyBytesMax);
  }

  /** The address that the server listens on. */
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    // The end of the event loop may leave buffers of an open connection unreleased.
    var unused = open.close().awaitUninterruptibly(STOP_S_MAX, TimeUnit.SECONDS);
    endEventLoop();
  }

  private void endEventLoop() {
    eventLoop.shutdownGracefully(0, STOP_S_MAX, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
