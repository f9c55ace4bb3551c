package io.tunnel.programs.bench.seeds;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Measures sessions of one operation each, on each path to a server of this service: connect, put a
 * row, get the row, close.
 *
 * <p>A closed connection keeps its local port for a minute. So the users of a path open no more
 * connections than there are ports: a path that has used them up ends before its time.
 */
final class AccessSide {

  /** The two calls of a session. */
  static final List<MixStep> CALLS = List.of(MixStep.PUT, MixStep.GET);

  /**
   * Connections of the users' address at a time. The server hears of a closed connection later than
   * its user, who has opened the next by then; so a number of users is no limit.
   */
  static final int CONNECTIONS_MAX = WorkloadFile.CLIENTS_MAX - OwnServer.SPARE_CONNECTIONS;

  /** The share of the ports that a warm-up may use. */
  private static final int WARM_UP_SHARE = 5;

  private final LoadClock clock;
  private final long ports;
  private final Consumer<String> remarks;

  /**
   * A side.
   *
   * @param ports connections that the users of a path may open, if there are fewer users
   * @param remarks hears which paths have ended before their time
   */
  AccessSide(LoadClock clock, long ports, Consumer<String> remarks) {
    this.clock = clock;
    this.ports = ports;
    this.remarks = remarks;
  }

  /** As {@link Beside#measure}: each path has a server of its own. */
  Map<String, Map<Figure, Double>> own(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    OwnServer.Settings settings =
        new OwnServer.Settings(threads, Optional.empty(), CONNECTIONS_MAX);
    Map<String, Map<Figure, Double>> byPath = new LinkedHashMap<>();
    for (String path : workload.operations()) {
      Path of = Files.createDirectories(directory.resolve(path));
      LoopbackSecurity security =
          AccessPath.named(path) == AccessPath.TLS
              ? LoopbackSecurity.in(of, Instant.ofEpochMilli(clock.epochMs()))
              : LoopbackSecurity.none();
      try (SeedServer server =
          AccessPath.named(path) == AccessPath.IN_PROCESS
              ? EmbeddedServer.start(of, settings)
              : OwnServer.start(of, settings, security)) {
        String endpoint = security.forAdministrator("127.0.0.1:" + server.port(0));
        try (TableClient client = TableClient.connect(endpoint)) {
          TableInfo table =
              client.createTable(
                  new TableMeta("sessions", MixRows.KEY, new TableOptions(Durability.OS)));
          byPath.put(path, measure(workload, load, path, ClientConfig.of(endpoint), table, server));
        }
      }
    }
    return byPath;
  }

  /** The figures of a path; none, and a remark, when the server does not take so many users. */
  Map<Figure, Double> measure(
      Workload workload,
      Load load,
      String path,
      ClientConfig config,
      TableInfo table,
      SeedServer server)
      throws InterruptedException {
    Requests requests =
        new MixRequests(
            CALLS, new MixRows(1, load.bytes()), table.tableId(), table.partitions().get(0).id());
    AtomicLong connectionsLeft = new AtomicLong();
    long all = Math.max(load.clients(), ports);
    try (ClosedLoop loop =
        ClosedLoop.open(
            SdkClient.reopening(
                LoadedConfig.of(config.withConnectDeadline(ClosedLoop.OPEN_MAX)), connectionsLeft),
            load.clients(),
            clock)) {
      if (workload.times().warmUp() > 0) {
        connectionsLeft.set(all / WARM_UP_SHARE);
        all -= all / WARM_UP_SHARE;
        var unused = loop.runFor(workload.times().warmUp(), requests);
      }
      connectionsLeft.set(all);
      Trips trips = loop.runFor(workload.times().measured(), requests);
      if (trips.answers() >= all) {
        remark(
            workload,
            load,
            path,
            "ended after "
                + trips.answers()
                + " operations, before its "
                + workload.times().measured()
                + " s: each connection keeps a local port for a minute.");
      }
      return ClosedLoads.figures(trips, server::residentBytes);
    } catch (CommandFailure e) {
      // A server closes connections that do not authenticate within 5 s.
      remark(workload, load, path, "was not measured: " + e.getMessage());
      return Map.of();
    }
  }

  private void remark(Workload workload, Load load, String path, String what) {
    remarks.accept(
        "Seed " + workload.seed() + ", " + path + " of " + load.clients() + " users " + what);
  }
}
