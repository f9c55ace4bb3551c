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

/** The authentication of a server's clients, with keys and certificates, and the audit log. */
final class ServerSecurity {

  /** Interval of looks at the files of the security directory. */
  private static final long LOOK_MS = 2_000;

  /** Interval of looks for refusals that were only counted, and for room on the disk. */
  private static final long AUDIT_MS = 5_000;

  private final SystemClock clock = new SystemClock();
  private final Path data;
  private final Optional<String> node;
  private final Optional<SecurityDirectory> directory;

  /**
   * Reads the security directory, if there is one.
   *
   * @param data data directory, which holds the audit log
   * @param node the name of a node of a cluster
   * @throws IOException when the directory is unusable; the message says what to change
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

  /** The data directory. */
  Path data() {
    return data;
  }

  /** The name of this node; empty without a cluster. */
  Optional<String> node() {
    return node;
  }

  /** The name of the node; {@code server} for a server that is no node. */
  String name() {
    return node.orElse("server");
  }

  private long epochMs() {
    return TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
  }

  /** The HTTP port's door that fits the door of the clients' port. */
  static HttpServer.Door httpDoor(NetServer.Door door) {
    return door.gate().isOpen()
        ? HttpServer.Door.open()
        : new HttpServer.Door(new KnownVisitors(door), door.tls());
  }

  /** Admits callers with the right to read on the cluster, by a token or a certificate. */
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

    /** The caller; empty if the token or rights may have been revoked. */
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

  /** Remaining lifetime of the server's certificate in seconds; NaN without one. */
  double certificateLeftSeconds() {
    return directory.map(one -> (one.tls().expiresMs() - epochMs()) / 1e3).orElse(Double.NaN);
  }

  /** Makes connections to other nodes. */
  SocketFactory sockets() {
    return directory.map(one -> one.tls().sockets()).orElseGet(SocketFactory::getDefault);
  }

  /**
   * The door that admits clients by the keys and rights of the engine's catalog, and audits them.
   */
  NetServer.Door door(Engine engine, AuditTrail trail) {
    AuditLog audit = new AuditLog(trail, engine.ports().catalog());
    return directory
        .map(one -> new NetServer.Door(gate(one, engine), Optional.of(one.tls()), audit))
        .orElseGet(() -> new NetServer.Door(Gate.open(), Optional.empty(), audit));
  }

  /** The audit log, written by a thread of its own. */
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
   * Looks at the files of the security directory from now on.
   *
   * @param revised runs on any thread when the admitted clients may have changed
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
