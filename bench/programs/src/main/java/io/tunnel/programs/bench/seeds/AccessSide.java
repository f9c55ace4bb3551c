package io.tunnel.programs.bench.seeds;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.stress.LoadClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
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
    Map<String, Map<Figure, Double>> byPath = new LinkedHashMap<>();
    for (String path : workload.operations()) {
      Path of = Files.createDirectories(directory.resolve(path));
      LoopbackSecurity security =
          AccessPath.named(path) == AccessPath.TLS
              ? LoopbackSecurity.in(of, Instant.ofEpochMilli(clock.epochMs()))
              : LoopbackSecurity.none();
      try (SeedServer server =
          AccessPath.named(path) == AccessPath.IN_PROCESS
              ? EmbeddedServer.start(of, threads, load.clients())
              : OwnServer.start(of, threads, load.clients(), security)) {
        byPath.put(path, measure(workload, load, path, server, security));
      }
    }
    return byPath;
  }

  private Map<Figure, Double> measure(
      Workload workload, Load load, String path, SeedServer server, LoopbackSecurity security)
      throws InterruptedException {
    ClientConfig config =
        ClientConfig.of(security.forAdministrator("127.0.0.1:" + server.port(0)))
            .withConnectDeadline(ClosedLoop.OPEN_MAX);
    TableInfo table;
    try (TableClient client = TableClient.connect(config)) {
      table =
          client.createTable(
              new TableMeta("sessions", MixRows.KEY, new TableOptions(Durability.OS)));
    }
    Requests requests =
        new MixRequests(
            CALLS, new MixRows(1, load.bytes()), table.tableId(), table.partitions().get(0).id());
    LoadedConfig loaded = LoadedConfig.of(config);
    long connectionsLeft = Math.max(load.clients(), ports);
    int warmUp = workload.times().warmUp();
    if (warmUp > 0) {
      long ofWarmUp = connectionsLeft / WARM_UP_SHARE;
      var unused = runFor(warmUp, load.clients(), loaded, requests, ofWarmUp);
      connectionsLeft -= ofWarmUp;
    }
    int seconds = workload.times().measured();
    Trips trips = runFor(seconds, load.clients(), loaded, requests, connectionsLeft);
    if (trips.answers() >= connectionsLeft) {
      remarks.accept(
          String.format(
              "Seed %s, %s of %d users ended after %d operations, before its %d s: each connection"
                  + " keeps a local port for a minute.",
              workload.seed(), path, load.clients(), trips.answers(), seconds));
    }
    return Sides.figures(trips, server);
  }

  private Trips runFor(
      int seconds, int users, LoadedConfig config, Requests requests, long connectionsMax)
      throws InterruptedException {
    List<EventLoops> threads = new ArrayList<>();
    try {
      for (int i = 0; i < ClosedLoop.THREADS; i++) {
        threads.add(EventLoops.start(1));
      }
      LoadRun run = new LoadRun(clock, requests, 0, users, ClosedLoop.THREADS);
      AtomicLong connectionsLeft = new AtomicLong(connectionsMax);
      long startNanos = clock.nanos();
      for (int number = 0; number < users; number++) {
        int thread = number % ClosedLoop.THREADS;
        EventLoops.Place place = threads.get(thread).nextPlace();
        new AccessUser(number, thread, place, config, run, connectionsLeft).begin();
      }
      clock.waitUntil(startNanos + TimeUnit.SECONDS.toNanos(seconds), run.ended()::isDone);
      run.stop();
      long elapsedNanos = clock.nanos() - startNanos;
      ClosedLoop.awaitLast(run);
      return run.trips(elapsedNanos);
    } finally {
      threads.forEach(EventLoops::close);
    }
  }
}
