package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.cluster.SteadyLoad.Marks;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * How long writes and channels stand still when a leader with standbys is ended with SIGKILL, and
 * where the time goes. Every moment is taken from outside, every few milliseconds: detection when a
 * survivor has logged the end of the process, election when all survivors say that they were told
 * of a placement without it, claim when their copies of its partitions lead.
 */
final class FailoverFigure implements Figure<ClusterChildren> {

  private static final String TABLE = "failover";
  private static final int PARTITIONS = 24;
  private static final int ROUNDS = 6;
  private static final long ROWS_PER_SECOND = 2_000;
  private static final int SECONDS_MAX = 60;
  private static final int REST_MS = 3_000;

  /** A node that has just started compiles its code, for which two processors are few. */
  private static final int WARM_MS = 20_000;

  private static final List<String> STEPS =
      List.of("detected", "elected", "claimed", "writes flow", "channels flow", "oldest row");

  @Override
  public String name() {
    return "failover";
  }

  @Override
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    List<Integer> partitions = setup.newTable(TABLE, PARTITIONS);
    List<long[]> rounds = new ArrayList<>();
    try (SteadyLoad load = new SteadyLoad(setup, TABLE, PARTITIONS, ROWS_PER_SECOND)) {
      setup.await("rows arrive", SECONDS_MAX, () -> load.seen() > 2 * ROWS_PER_SECOND);
      setup.row("SIGKILL, ms", String.join(" | ", STEPS));
      setup.rule(1 + STEPS.size());
      for (int round = 0; round < ROUNDS; round++) {
        setup.await("an even share", SECONDS_MAX, () -> Survivors.isEven(setup, PARTITIONS));
        setup.pause(WARM_MS);
        String victim = setup.servers().names().get(round % setup.servers().names().size());
        long[] times = kill(setup, load, partitions, victim);
        rounds.add(times);
        setup.row(victim, text(times));
        setup.servers().startNode(victim);
        setup.servers().awaitShared();
      }
    }
    setup.row("median", text(column(rounds, rounds.size() / 2)));
    setup.row("worst", text(column(rounds, rounds.size() - 1)));
  }

  private static long[] kill(
      FigureSetup<ClusterChildren> setup,
      SteadyLoad load,
      List<Integer> partitions,
      String victim) {
    try (Survivors survivors = new Survivors(setup, victim)) {
      List<Integer> orphans = survivors.ledBy(victim);
      int[] indexes = orphans.stream().mapToInt(partitions::indexOf).toArray();
      Marks marks = load.mark();
      long killed = setup.clock().nanos();
      setup.servers().kill(victim);
      long[] times = new long[STEPS.size()];
      times[0] =
          awaited(setup, killed, "its end is seen", () -> survivors.haveSeenTheEndOf(victim));
      times[1] = awaited(setup, killed, "a placement", () -> survivors.werePlacedWithout(victim));
      times[2] = awaited(setup, killed, "others lead", () -> survivors.lead(orphans));
      await(setup, "writes flow", indexes, marks::firstAck);
      await(setup, "channels flow", IntStream.range(0, PARTITIONS).toArray(), marks::firstSeen);
      times[3] = IntStream.of(indexes).mapToLong(marks::firstAck).max().orElse(killed) - killed;
      times[4] =
          IntStream.range(0, PARTITIONS).mapToLong(marks::firstSeen).max().orElse(killed) - killed;
      // What waited behind the first rows comes at once, if it comes.
      setup.pause(REST_MS);
      times[5] = marks.oldestSeenNanos();
      return times;
    }
  }

  private static long awaited(
      FigureSetup<ClusterChildren> setup, long since, String what, BooleanSupplier condition) {
    setup.await(what, SECONDS_MAX, condition);
    return setup.clock().nanos() - since;
  }

  private static void await(
      FigureSetup<ClusterChildren> setup, String what, int[] indexes, IntToLongFunction moment) {
    Set<Integer> missing = new TreeSet<>();
    try {
      setup.await(
          what,
          SECONDS_MAX,
          () -> {
            missing.clear();
            IntStream.of(indexes).filter(i -> moment.applyAsLong(i) == 0).forEach(missing::add);
            return missing.isEmpty();
          });
    } catch (IllegalStateException e) {
      throw new IllegalStateException(e.getMessage() + "; none for partitions " + missing, e);
    }
  }

  private static long[] column(List<long[]> rounds, int rank) {
    return IntStream.range(0, STEPS.size())
        .mapToLong(step -> rounds.stream().mapToLong(times -> times[step]).sorted().toArray()[rank])
        .toArray();
  }

  private static String text(long[] nanos) {
    List<String> words = new ArrayList<>();
    for (long each : nanos) {
      words.add(Long.toString(Math.round(each / ClusterRows.NANOS_PER_MS)));
    }
    return String.join(" | ", words);
  }
}
