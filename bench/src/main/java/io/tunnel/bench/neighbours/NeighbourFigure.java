package io.tunnel.bench.neighbours;

import io.tunnel.bench.figures.Figure;
import io.tunnel.programs.torture.LastInTurn;
import io.tunnel.sdk.TableClient;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** How long a row is written and read by one principal, alone and beside the other, by turns. */
record NeighbourFigure(Habit habit) implements Figure<Ground> {

  private static final int TURNS = 3;
  private static final long WARM_MS = 10_000;
  private static final long TURN_MS = 10_000;
  private static final long BEGIN_SECONDS_MAX = 300;
  private static final long LOOK_MS = 20;
  private static final long REST_MS = 3_000;
  private static final int ROWS = 100;
  private static final double NANOS_PER_MS = 1e6;

  @Override
  public String name() {
    return habit.text();
  }

  @Override
  public void measure(Ground ground) throws Exception {
    LastInTurn lastInTurn = LastInTurn.here();
    Histogram alone = new Histogram(3);
    Histogram beside = new Histogram(3);
    try (TableClient tables = TableClient.connect(ground.endpointOf(Ground.MEASURED))) {
      rounds(ground, tables, WARM_MS, new Histogram(3));
      // The first turn warms up what a neighbour makes the server do.
      for (int turn = 0; turn <= TURNS; turn++) {
        rounds(ground, tables, TURN_MS, turn == 0 ? new Histogram(3) : alone);
        Process neighbour = begin(ground, lastInTurn, turn);
        rounds(ground, tables, TURN_MS, turn == 0 ? new Histogram(3) : beside);
        neighbour.destroyForcibly().waitFor();
        pause(ground, REST_MS);
      }
    }
    ground.out().println("neighbour                 " + lastInTurn.place());
    print(ground, "alone ", alone);
    print(ground, "beside", beside);
    ground
        .out()
        .printf(
            "ratio                     p50 %.2f  p99 %.2f%n",
            ratio(beside, alone, 50), ratio(beside, alone, 99));
  }

  private static double ratio(Histogram one, Histogram other, double percentile) {
    return (double) one.getValueAtPercentile(percentile) / other.getValueAtPercentile(percentile);
  }

  private static void print(Ground ground, String what, Histogram nanos) {
    ground
        .out()
        .printf(
            "%s                    n=%d  p50 %.2f ms  p99 %.2f ms  p99.9 %.2f ms%n",
            what,
            nanos.getTotalCount(),
            nanos.getValueAtPercentile(50) / NANOS_PER_MS,
            nanos.getValueAtPercentile(99) / NANOS_PER_MS,
            nanos.getValueAtPercentile(99.9) / NANOS_PER_MS);
  }

  /** Writes and reads one row after another, for {@code ms} milliseconds. */
  private static void rounds(Ground ground, TableClient tables, long ms, Histogram tookNanos) {
    long endNanos = ground.clock().nanos() + TimeUnit.MILLISECONDS.toNanos(ms);
    long nowNanos = ground.clock().nanos();
    for (long round = 0; nowNanos - endNanos < 0; round++) {
      long id = round % ROWS;
      var unused = tables.write(Ground.MEASURED_TABLE, Ground.rows(id, 1));
      if (tables.getRow(Ground.MEASURED_TABLE, Ground.key(id)).isEmpty()) {
        throw new IllegalStateException("row " + id + " is not there");
      }
      long endedNanos = ground.clock().nanos();
      tookNanos.recordValue(endedNanos - nowNanos);
      nowNanos = endedNanos;
    }
  }

  private Process begin(Ground ground, LastInTurn lastInTurn, int turn) throws IOException {
    String name = name() + "-" + turn;
    Process process =
        ground
            .children()
            .start(
                name,
                lastInTurn.launcher(),
                List.of("-Xmx1g", "-XX:MaxDirectMemorySize=4g"),
                NeighbourMain.class.getName(),
                List.of(ground.endpointOf(Ground.NEIGHBOUR), habit.name()));
    long deadlineNanos = ground.clock().nanos() + TimeUnit.SECONDS.toNanos(BEGIN_SECONDS_MAX);
    while (!said(ground, name).contains(NeighbourMain.WORKING)) {
      if (!process.isAlive() || ground.clock().nanos() - deadlineNanos > 0) {
        throw new IllegalStateException("the neighbour did not begin: " + said(ground, name));
      }
      pause(ground, LOOK_MS);
    }
    return process;
  }

  private static String said(Ground ground, String name) throws IOException {
    return Files.readString(ground.children().log(name));
  }

  private static void pause(Ground ground, long ms) {
    ground
        .clock()
        .waitUntil(ground.clock().nanos() + TimeUnit.MILLISECONDS.toNanos(ms), () -> false);
  }
}
