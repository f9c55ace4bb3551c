package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.Floors;
import io.tunnel.it.sim.Invariant;
import java.util.ArrayList;
import java.util.List;

/**
 * Simulations of clusters without a build: {@code SEED} replays one, {@code FIRST COUNT} runs many
 * and says which break, {@code find FIRST COUNT} runs them until one does, {@code hashes FIRST
 * COUNT} prints a hash of each.
 */
public final class ClusterSimulationMain {

  private ClusterSimulationMain() {}

  /** Exits with 1 when a cluster breaks. */
  public static void main(String[] args) {
    if (args.length == 1) {
      System.out.println("hash " + ClusterWorlds.replay(Long.parseLong(args[0]), System.out));
    } else if (args[0].equals("hashes")) {
      long first = Long.parseLong(args[1]);
      for (long seed = first; seed < first + Long.parseLong(args[2]); seed++) {
        System.out.println(seed + " " + ClusterWorlds.hash(seed));
      }
    } else if (args[0].equals("find")) {
      find(Long.parseLong(args[1]), Long.parseLong(args[2]));
    } else {
      search(Long.parseLong(args[0]), Long.parseLong(args[1]));
    }
  }

  private static void find(long first, long count) {
    List<ClusterWorlds.Failed> failures = new ArrayList<>();
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count && failures.isEmpty(); seed++) {
      ClusterWorlds.run(seed, happened -> {}, failures::add);
    }
    long millis = (System.nanoTime() - begun) / 1_000_000;
    for (ClusterWorlds.Failed failed : failures) {
      System.out.println(failed.toError().getMessage());
      failed.reason().printStackTrace(System.out);
      System.out.printf(
          "FOUND %s after %d seeds in %d ms%n",
          failed.reason() instanceof Invariant.Broken broken
              ? broken.invariant().toString()
              : failed.reason().getClass().getSimpleName(),
          failed.seed() - first + 1,
          millis);
      System.exit(1);
    }
    System.out.printf("NOT FOUND in %d seeds, %d ms%n", count, millis);
  }

  private static void search(long first, long count) {
    Floors<ClusterHappening> floors =
        new Floors<>(ClusterHappening.class, ClusterHappening::percentMin);
    long[] failures = new long[1];
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count; seed++) {
      ClusterWorlds.run(
          seed,
          floors::add,
          failed -> {
            failures[0]++;
            System.out.println("FOUND seed " + failed.seed() + " " + failed.reason());
          });
    }
    long millis = (System.nanoTime() - begun) / 1_000_000;
    System.out.println(floors);
    System.out.println("too rare: " + floors.tooRare());
    System.out.printf("%d of %d seeds break, %d ms%n", failures[0], count, millis);
    System.exit(failures[0] == 0 ? 0 : 1);
  }
}
