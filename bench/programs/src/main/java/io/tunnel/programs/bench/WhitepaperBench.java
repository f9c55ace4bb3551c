package io.tunnel.programs.bench;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.model.Durability;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.programs.bench.live.Journeys;
import io.tunnel.programs.bench.live.LiveWriter;
import io.tunnel.programs.bench.live.WorkerProcess;
import io.tunnel.programs.bench.live.WorkerProcess.Second;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Writes to a table while worker processes follow, and takes what these say each second. */
final class WhitepaperBench {

  private static final String TUNNEL = "whitepaper";
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int WARM_PARTS = 4;

  private final Ground ground;
  private final LoadClock clock;
  private final TunnelPeer peer;
  private final int seconds;
  private final double rowsPerSecond;

  /** Writes for so long in each case; {@code rowsPerSecond} 0 is as fast as it goes. */
  WhitepaperBench(Ground ground, int seconds, double rowsPerSecond) {
    this.ground = ground;
    this.clock = ground.clock();
    this.peer = ground.peer(Durability.OS);
    this.seconds = seconds;
    this.rowsPerSecond = rowsPerSecond;
  }

  WhitepaperFigures run(WhitepaperCase of) throws Exception {
    ground.progress().step("channels x processes " + of);
    String table = ground.nextTable();
    peer.create(table, of.channels());
    WhitepaperFigures figures;
    try (TunnelClient client = new TunnelClient(peer.endpoint())) {
      var unusedInfo =
          client.createTunnel(
              new CreateTunnelRequest(table, TUNNEL, TunnelType.Stream, StreamStart.EARLIEST));
      figures = withWorkers(of, table);
      var unusedAnswer = client.deleteTunnel(new DeleteTunnelRequest(table, TUNNEL));
    }
    peer.drop(table);
    ground.settle();
    return figures;
  }

  private WhitepaperFigures withWorkers(WhitepaperCase of, String table) throws Exception {
    List<WorkerProcess> workers = new ArrayList<>();
    try {
      for (int i = 0; i < of.processes(); i++) {
        String name = "worker-" + table + "-" + i;
        workers.add(
            WorkerProcess.start(
                TunnelCommand.class.getName(), arguments(table), ground.directory().log(name)));
      }
      awaitFirstLines(workers);
      return followed(of, table, workers);
    } finally {
      workers.forEach(WorkerProcess::close);
    }
  }

  /** They end by themselves also when this program is killed. */
  private List<String> arguments(String table) {
    int secondsMax = ground.options().stepSecondsMax() + seconds;
    return List.of(
        "perf",
        "--server",
        peer.endpoint(),
        "--table",
        table,
        "--tunnel",
        TUNNEL,
        "--interval",
        "1s",
        "--duration",
        secondsMax + "s");
  }

  private void awaitFirstLines(List<WorkerProcess> workers) {
    long deadlineNanos =
        clock.nanos() + TimeUnit.SECONDS.toNanos(ground.options().stepSecondsMax());
    while (workers.stream().anyMatch(worker -> worker.seconds().isEmpty())) {
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
      requireWell(workers, Optional.empty());
      if (clock.nanos() - deadlineNanos > 0) {
        throw CommandFailure.failed("a worker process did not start in time");
      }
    }
  }

  private static void requireWell(List<WorkerProcess> workers, Optional<String> trouble) {
    if (trouble.isPresent()) {
      throw CommandFailure.failed(trouble.get());
    }
    for (WorkerProcess worker : workers) {
      if (!worker.isAlive()) {
        throw CommandFailure.failed("a worker process ended:\n" + worker.lastWords());
      }
    }
  }

  private WhitepaperFigures followed(WhitepaperCase of, String table, List<WorkerProcess> workers)
      throws Exception {
    Journeys untimed = new Journeys(clock);
    try (LiveWriter writer =
        new LiveWriter(peer.openWriter(table), RowPlan.DEFAULT, untimed, clock)) {
      long startMs = clock.epochMs();
      long endNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(seconds);
      writer.start(ground.options().writers(), rowsPerSecond);
      Progress.Watch watch =
          ground.progress().watch("written", (long) (rowsPerSecond * seconds), writer::rows);
      try (watch) {
        while (clock.nanos() - endNanos < 0) {
          clock.waitUntil(Math.min(endNanos, clock.nanos() + LOOK_NANOS), () -> false);
          requireWell(workers, writer.trouble());
        }
      }
      long memoryBytes = workers.stream().mapToLong(WorkerProcess::residentBytes).sum();
      long endMs = clock.epochMs();
      writer.stop();
      long fromMs = startMs + TimeUnit.SECONDS.toMillis(seconds) / WARM_PARTS;
      return figures(of, between(workers, fromMs, endMs), memoryBytes);
    }
  }

  private static List<List<Second>> between(List<WorkerProcess> workers, long fromMs, long toMs) {
    return workers.stream()
        .map(
            worker ->
                worker.seconds().stream()
                    .filter(each -> each.timestampMs() >= fromMs && each.timestampMs() <= toMs)
                    .toList())
        .toList();
  }

  /** Adds up what the processes did in the same seconds, by their count from the start. */
  static WhitepaperFigures figures(
      WhitepaperCase of, List<List<Second>> byWorker, long memoryBytes) {
    int count = byWorker.stream().mapToInt(List::size).min().orElse(0);
    if (count == 0) {
      throw CommandFailure.failed("the worker processes said nothing in the time that counts");
    }
    List<Double> rates = new ArrayList<>();
    List<Double> bytes = new ArrayList<>();
    List<Double> cores = new ArrayList<>();
    List<Double> p50 = new ArrayList<>();
    List<Double> p99 = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int second = i;
      List<Second> both = byWorker.stream().map(worker -> worker.get(second)).toList();
      rates.add(both.stream().mapToDouble(Second::rowsPerSecond).sum());
      bytes.add(both.stream().mapToDouble(Second::bytesPerSecond).sum());
      cores.add(both.stream().mapToDouble(Second::coresUsed).sum());
      p50.add(both.stream().mapToDouble(Second::latencyP50Ms).max().orElse(0));
      p99.add(both.stream().mapToDouble(Second::latencyP99Ms).max().orElse(0));
    }
    return new WhitepaperFigures(
        of,
        Figures.median(rates),
        rates.stream().mapToDouble(Double::doubleValue).max().orElse(0),
        Figures.median(cores),
        (double) memoryBytes,
        Figures.median(bytes),
        Figures.median(p50),
        Figures.median(p99));
  }
}
