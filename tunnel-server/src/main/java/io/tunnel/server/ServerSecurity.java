package io.tunnel.server;

import io.netty.channel.ChannelPipeline;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.engine.OwnThread;
import io.tunnel.server.engine.Parts;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.metrics.HttpServer;
import io.tunnel.server.metrics.HttpServer.Visitors.Visit;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.access.Caller;
import io.tunnel.server.net.access.Gate;
import io.tunnel.server.net.access.TlsPeer;
import io.tunnel.server.security.files.SecurityDirectory;
import io.tunnel.wire.Operation.Right;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/** What a server that asks everybody who they are has beyond one that asks nobody. */
final class ServerSecurity {

  /** How often is looked whether files of the security directory were changed. */
  private static final long LOOK_MS = 2_000;

  private final SystemClock clock = new SystemClock();
  private final Optional<SecurityDirectory> directory;

  /**
   * Reads the security directory, if there is one.
   *
   * @throws IOException when it cannot be used; says what would be right
   */
  ServerSecurity(SecurityConfig config) throws IOException {
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
        : new HttpServer.Door(
            (connection, bearer) -> visit(door.gate(), connection, bearer), door.tls());
  }

  private static Visit visit(Gate gate, ChannelPipeline connection, Optional<String> bearer) {
    Optional<Caller> caller =
        bearer
            .flatMap(gate::bearer)
            .or(() -> TlsPeer.of(connection).subject().map(gate::certified));
    if (caller.isEmpty()) {
      return Visit.UNKNOWN;
    }
    return caller.get().mayOnCluster(Right.READ) ? Visit.WELCOME : Visit.NOT_PERMITTED;
  }

  /** How long the server's certificate is still good, in seconds; NaN without one. */
  double certificateLeftSeconds() {
    return directory.map(one -> (one.tls().expiresMs() - epochMs()) / 1e3).orElse(Double.NaN);
  }

  /** How other nodes are reached. */
  SocketFactory sockets() {
    return directory.map(one -> one.tls().sockets()).orElseGet(SocketFactory::getDefault);
  }

  /** Lets clients in, by the keys and rights of a catalog. */
  NetServer.Door door(Catalog catalog) {
    return directory
        .map(one -> new NetServer.Door(gate(one, catalog), Optional.of(one.tls())))
        .orElseGet(NetServer.Door::open);
  }

  private Gate gate(SecurityDirectory closed, Catalog catalog) {
    return Gate.closed(
        new Gate.Guard(
            closed.master(),
            closed,
            catalog.security()::snapshot,
            WiringChance::secret,
            clock::nanos,
            this::epochMs));
  }

  /**
   * Looks at the files from now on.
   *
   * @param revised is told, by any thread, when those who are let in may have changed
   */
  void watch(Parts parts, Catalog catalog, Runnable revised) {
    if (directory.isPresent()) {
      catalog.security().listen(revised);
      parts
          .openThreads(new OwnThread("security"))
          .scheduleWithFixedDelay(
              () -> {
                directory.get().look();
                revised.run();
              },
              LOOK_MS,
              LOOK_MS,
              TimeUnit.MILLISECONDS);
    }
  }
}
