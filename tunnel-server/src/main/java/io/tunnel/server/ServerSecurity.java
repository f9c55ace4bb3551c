package io.tunnel.server;

import io.netty.channel.ChannelPipeline;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.engine.Engine;
import io.tunnel.server.engine.OwnThread;
import io.tunnel.server.engine.Parts;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.Ticks;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.HttpServer.Visitors.Visit;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.access.AuditLog;
import io.tunnel.server.net.access.Caller;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.TlsPeer;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.security.files.SecurityDirectory;
import io.tunnel.wire.Operation.Right;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/**
 * Who is let in to a server, with what it takes to ask everybody who they are, and its audit log.
 */
final class ServerSecurity {

  /** How often is looked whether files of the security directory were changed. */
  private static final long LOOK_MS = 2_000;

  /** How often is looked for refusals that were only counted, and whether the disk is back. */
  private static final long AUDIT_MS = 5_000;

  private final SystemClock clock = new SystemClock();
  private final Path data;
  private final Optional<String> node;
  private final Optional<SecurityDirectory> directory;

  /**
   * Reads the security directory, if there is one.
   *
   * @param data where the audit log is kept
   * @param node the name of a node of a cluster
   * @throws IOException when it cannot be used; says what would be right
   */
  ServerSecurity(SecurityConfig config, Path data, Optional<String> node) throws IOException {
    this.data = data;
    this.node = node;
    directory =
        config.isClosed()
            ? Optional.of(
                new SecurityDirectory(
                    Path.of(config.directory()),
                    System::getenv,
                    WiringChance::secret,
                    this::epochMs))
            : Optional.empty();
  }

  private long epochMs() {
    return TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  /** How the HTTP port is entered where the other one is entered by that door. */
  static HttpServer.Door httpDoor(NetServer.Door door) {
    return door.gate().isOpen()
        ? HttpServer.Door.open()
        : new HttpServer.Door(new KnownVisitors(door), door.tls());
  }

  /** Those who may read on the cluster, by a token or a certificate. */
  private record KnownVisitors(NetServer.Door door) implements HttpServer.Visitors {

    private Optional<Caller> caller(ChannelPipeline connection, Optional<String> bearer) {
      return bearer
          .flatMap(door.gate()::bearer)
          .or(
              () ->
                  TlsPeer.of(connection)
                      .certificate()
                      .map(door.gate()::certified)
                      .filter(Caller::isWelcome));
    }

    /** A visitor whose token or rights may have been taken away is not known. */
    private Optional<Caller> current(ChannelPipeline connection, Optional<String> bearer) {
      try {
        Optional<Caller> known = caller(connection, bearer);
        known.ifPresent(one -> one.mayOnCluster(Right.READ));
        return known;
      } catch (RefusedException e) {
        return Optional.empty();
      }
    }

    @Override
    public Visit visit(ChannelPipeline connection, Optional<String> bearer) {
      return current(connection, bearer)
          .map(one -> one.mayOnCluster(Right.READ) ? Visit.WELCOME : Visit.NOT_PERMITTED)
          .orElse(Visit.UNKNOWN);
    }

    @Override
    public void refused(ChannelPipeline connection, Optional<String> bearer) {
      door.audit().refusedVisit(current(connection, bearer), connection.channel().remoteAddress());
    }
  }

  /** How long the server's certificate is still good, in seconds; NaN without one. */
  double certificateLeftSeconds() {
    return directory.map(one -> (one.tls().expiresMs() - epochMs()) / 1e3).orElse(Double.NaN);
  }

  /** How other nodes are reached. */
  SocketFactory sockets() {
    return directory.map(one -> one.tls().sockets()).orElseGet(SocketFactory::getDefault);
  }

  /** Lets clients in, by the keys and rights of the engine's catalog, and keeps who did what. */
  NetServer.Door door(Engine engine, AuditTrail trail) {
    AuditLog audit = new AuditLog(trail, engine.ports().catalog());
    return directory
        .map(one -> new NetServer.Door(gate(one, engine), Optional.of(one.tls()), audit))
        .orElseGet(() -> new NetServer.Door(Gate.open(), Optional.empty(), audit));
  }

  /** What is kept of who did what, written by a thread of its own. */
  AuditTrail audit(Parts parts, AuditTrail.Settings settings) {
    OwnThread writer = new OwnThread("audit");
    AuditTrail trail =
        parts.open(
            new AuditTrail(
                settings,
                data.resolve("audit"),
                node,
                new AuditTrail.Clock(clock::nanos, this::epochMs),
                writer));
    Ticks.every(parts.openThreads(writer), clock::nanos, AUDIT_MS, trail::tick);
    return trail;
  }

  private Gate gate(SecurityDirectory closed, Engine engine) {
    return Gate.closed(
        new Gate.Guard(
            closed.master(),
            closed,
            engine.ports().catalog().security()::snapshot,
            WiringChance::secret,
            clock::nanos,
            this::epochMs),
        engine::requireCurrentCatalog);
  }

  /**
   * Looks at the files from now on.
   *
   * @param revised is told, by any thread, when those who are let in may have changed
   */
  void watch(Parts parts, Catalog catalog, Runnable revised) {
    if (directory.isPresent()) {
      catalog.security().listen(revised);
      Ticks.every(
          parts.openThreads(new OwnThread("security")),
          clock::nanos,
          LOOK_MS,
          () -> {
            directory.get().look();
            revised.run();
          });
    }
  }
}
