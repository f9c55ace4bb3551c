package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.model.PrimaryKey;
import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.sdk.TableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How long a single write and a single read take beside a load that has snapshots taken, while a
 * node takes a snapshot and while none does. Each row of the table is written again and again. The
 * nodes' logs say when snapshots were taken.
 */
final class SnapshotFigure implements Figure<ClusterChildren> {

  private static final String TABLE = "snapshot";
  private static final int PARTITIONS = 4;
  private static final int ROWS = 400_000;
  private static final long ROWS_PER_SECOND = 30_000;
  private static final int SECONDS = 180;
  private static final int SECONDS_WARM = 20;
  private static final int SECONDS_MAX = 60;

  /** Before the first slice the shard folds what is committed. */
  private static final Duration SCAN = Duration.ofMillis(250);

  private static final Pattern TAKEN =
      Pattern.compile("^(\\S+) .*has a snapshot of .* taken in (\\d+) ms$");

  /** When a snapshot was taken. */
  private record Window(Instant from, Instant to) {
    boolean has(Instant moment) {
      return !moment.isBefore(from) && !moment.isAfter(to);
    }
  }

  /** How long a request took. */
  private record Took(Instant at, boolean isWrite, long nanos) {}

  @Override
  public String name() {
    return "snapshot";
  }

  @Override
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    var unused = setup.newTable(TABLE, PARTITIONS);
    setup.await("an even share", SECONDS_MAX, () -> Survivors.isEven(setup, PARTITIONS));
    List<Took> all = new ArrayList<>();
    try (TableWriter writer = setup.tables().openWriter(TABLE)) {
      Load load = load(setup, writer);
      setup.pause(SECONDS_WARM * 1_000L);
      try {
        probe(setup, all);
      } finally {
        load.stop();
        var unusedEnd = load.awaitEnd(SECONDS_MAX);
      }
    }
    List<Window> windows = windows(setup);
    if (windows.isEmpty()) {
      throw new IllegalStateException("the nodes log no snapshots without TUNNEL_LOG=info");
    }
    setup.row(windows.size() + " snapshots", "requests", "p50, ms", "p99, ms", "worst, ms");
    setup.rule(5);
    for (boolean isWrite : new boolean[] {true, false}) {
      for (boolean isDuring : new boolean[] {false, true}) {
        long[] nanos =
            all.stream()
                .filter(took -> took.isWrite() == isWrite)
                .filter(took -> isDuring == windows.stream().anyMatch(w -> w.has(took.at())))
                .mapToLong(Took::nanos)
                .sorted()
                .toArray();
        setup.row(
            (isWrite ? "writes" : "reads") + (isDuring ? " during a snapshot" : " without"),
            nanos.length,
            quantile(nanos, 50),
            quantile(nanos, 99),
            quantile(nanos, 100));
      }
    }
  }

  private static String quantile(long[] sorted, int percent) {
    int index = Math.min(sorted.length - 1, sorted.length * percent / 100);
    return index < 0 ? "-" : ClusterRows.tenths(sorted[index] / ClusterRows.NANOS_PER_MS);
  }

  /** Begins to write rows at an even rate. */
  private static Load load(FigureSetup<ClusterChildren> setup, TableWriter writer) {
    SplittableRandom random = new SplittableRandom(7);
    Client client =
        turn -> {
          writer.add(
              FigureSetup.put(ClusterRows.spread(random.nextInt(ROWS))), (change, result) -> {});
          turn.done();
        };
    return Load.begin(
        setup.clock(), Plan.CLOSED.at(ROWS_PER_SECOND), List.of(client), Load.threads("load"));
  }

  private static void probe(FigureSetup<ClusterChildren> setup, List<Took> all) {
    SplittableRandom random = new SplittableRandom(8);
    long endNanos = setup.clock().nanos() + Duration.ofSeconds(SECONDS).toNanos();
    for (boolean isWrite = true; setup.clock().nanos() - endNanos < 0; isWrite = !isWrite) {
      PrimaryKey key = ClusterRows.spread(random.nextInt(ROWS));
      Instant at = Instant.ofEpochMilli(setup.clock().epochMs());
      long before = setup.clock().nanos();
      if (isWrite) {
        var unused = setup.tables().write(TABLE, List.of(FigureSetup.put(key)));
      } else {
        var unused = setup.tables().getRow(TABLE, key);
      }
      all.add(new Took(at, isWrite, setup.clock().nanos() - before));
      setup.pause(1);
    }
  }

  private static List<Window> windows(FigureSetup<ClusterChildren> setup) throws IOException {
    List<Window> windows = new ArrayList<>();
    for (String node : setup.servers().names()) {
      try (Stream<String> lines = Files.lines(setup.servers().log(node))) {
        for (String line : lines.toList()) {
          Matcher taken = TAKEN.matcher(line);
          if (taken.matches()) {
            Instant to = Instant.parse(taken.group(1));
            Duration length = Duration.ofMillis(Long.parseLong(taken.group(2)));
            windows.add(new Window(to.minus(length).minus(SCAN), to));
          }
        }
      }
    }
    return windows;
  }
}
