package io.tunnel.server;

import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.console.ConsoleSite;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.engine.Engine;
import io.tunnel.server.engine.LocalEngine;
import io.tunnel.server.engine.OwnThread;
import io.tunnel.server.engine.Parts;
import io.tunnel.server.engine.Served;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.Ticks;
import io.tunnel.server.engine.WaitingThread;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.forward.Forwarder;
import io.tunnel.server.forward.Forwarding;
import io.tunnel.server.metrics.HttpHosts;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.node.ClusterEngine;
import io.tunnel.server.node.ClusterEngine.Outside;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A running server: an engine, the rooms that face clients, and their ports. Closes its parts in
 * the reverse order of their creation.
 */
public final class Server implements Closeable {

  private static final int PAGES_WAITING_MAX = 4;
  private static final int CONSOLE_WAITING_MAX = 16;

  /** Interval of the console's figures. */
  private static final long TICK_MS = 1_000;

  private final SystemClock clock = new SystemClock();
  private final Parts parts = new Parts();
  private final Engine engine;
  private final NetServer net;
  private final Forwarder forwarding;
  private final Optional<HttpServer> http;

  /** Opens an engine. */
  @FunctionalInterface
  interface EngineOpener {

    /**
     * Opens an engine that counts in {@code meters}.
     *
     * @throws IOException when a directory or address is unusable; the message says what to change
     */
    Engine open(ServerMeters meters) throws IOException;
  }

  /** Opens the engine, and begins to serve. */
  Server(ServerConfig config, ServerSecurity security, EngineOpener opener) throws IOException {
    try {
      ServerMeters meters = new ServerMeters(clock::epochMicros);
      parts.open(meters::close);
      engine = parts.open(opener.open(meters));
      Served served =
          new Served(engine.ports(), config.session().deliveryBytesMax(), config.catchUp());
      meters.readings(served::readingCount);
      meters.catchUp(served::catchUp);
      meters.watches(served::watches);
      AuditTrail trail = security.audit(parts, config.audit());
      meters.audit(trail::figures);
      NetServer.Door door = security.door(engine, trail);
      net = new NetServer(engine.address(), served.rooms(), served.threads(), door, meters);
      parts.open(net::close);
      forwarding =
          new Forwarder(
              new Forwarder.Self(security.name(), net.self()),
              engine.ports().view(),
              door,
              new Forwarder.Machine(WiringChance::secret, clock::nanos),
              meters.forwarding());
      parts.open(forwarding::close);
      meters.forwarded(forwarding::held);
      security.watch(parts, engine.ports().catalog(), net::reviseRights);
      meters.held(net::held);
      meters.certificate(security::certificateLeftSeconds);
      http =
          config.net().httpPort() < 0
              ? Optional.empty()
              : Optional.of(
                  listenHttp(
                      config,
                      new ServerPages(engine, net, meters, security.node(), security.data()),
                      door));
      parts.open(engine.begin(served, net::stopListening));
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /**
   * Opens a server without a cluster: opens the data directory, recovers, and begins to serve.
   *
   * @throws IOException when the directory, its content or an address is unusable; the message says
   *     what to change
   */
  public static Server alone(Path data, ServerConfig config) throws IOException {
    return alone(data, config, Disks.ofSystem());
  }

  /** Like {@link #alone(Path, ServerConfig)}, with logs on {@code disks}. */
  static Server alone(Path data, ServerConfig config, Disks disks) throws IOException {
    return new Server(
        config,
        new ServerSecurity(config.security(), data, Optional.empty()),
        meters -> new LocalEngine(data, config, disks, meters));
  }

  /**
   * Opens a node of a cluster: opens the data directory, joins the cluster, and begins to serve.
   *
   * @throws IOException when the directory, the log or an address is unusable; the message says
   *     what to change
   */
  static Server node(Path data, ServerConfig config, ClusterConfig cluster) throws IOException {
    return node(data, config, cluster, Disks.ofSystem());
  }

  /** Like {@link #node(Path, ServerConfig, ClusterConfig)}, with logs on {@code disks}. */
  static Server node(Path data, ServerConfig config, ClusterConfig cluster, Disks disks)
      throws IOException {
    ServerSecurity security =
        new ServerSecurity(config.security(), data, Optional.of(cluster.node()));
    return new Server(
        config,
        security,
        meters ->
            new ClusterEngine(
                data, config, cluster, disks, new Outside(meters, security.sockets())));
  }

  private HttpServer listenHttp(ServerConfig config, ServerPages pages, NetServer.Door door)
      throws IOException {
    HttpServer server =
        new HttpServer(
            new InetSocketAddress(net.localAddress().getAddress(), config.net().httpPort()),
            config.net(),
            parts.openThreads(new WaitingThread("pages", PAGES_WAITING_MAX)),
            pages,
            ServerSecurity.httpDoor(door),
            config.console().isOn() ? console(config, pages, door) : HttpServer.Site.NONE);
    parts.open(server::close);
    return server;
  }

  private HttpServer.Site console(ServerConfig config, ServerPages pages, NetServer.Door door)
      throws IOException {
    ConsoleSite site =
        new ConsoleSite(
            config.console(),
            HttpHosts.of(config.net(), door.tls().isPresent()),
            door,
            pages,
            forwarding,
            new ConsoleSite.Machine(
                WiringChance::secret,
                clock::nanos,
                () -> TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()),
                parts.openThreads(new WaitingThread("console", CONSOLE_WAITING_MAX))));
    net.figures(site::figures);
    Ticks.every(parts.openThreads(new OwnThread("figures")), clock::nanos, TICK_MS, site::tick);
    return site;
  }

  /** Sends requests for principals to the nodes that can answer. */
  Forwarding forwarding() {
    return forwarding;
  }

  /** The address for clients. */
  public InetSocketAddress localAddress() {
    return net.localAddress();
  }

  /** The address of health and metrics, if they are served. */
  public Optional<InetSocketAddress> httpAddress() {
    return http.map(HttpServer::localAddress);
  }

  /**
   * Longest {@link #close} in milliseconds, after which the process may simply end; {@link
   * Long#MAX_VALUE} if that would do harm.
   */
  long stopMsMax() {
    return engine.stopMsMax();
  }

  /** Completes with a message when the server cannot go on. */
  CompletableFuture<String> failure() {
    return engine.failure();
  }

  /**
   * Stops serving, and closes all parts. Accepted writes are committed and folded; a node of a
   * cluster first hands its units over to other nodes, if there are any. Idempotent.
   */
  @Override
  public void close() throws IOException {
    parts.close();
  }
}
