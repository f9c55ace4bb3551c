package io.tunnel.it.sim;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Simulations without a build: {@code SEED} replays one, {@code FIRST COUNT} looks for one that
 * breaks and says how many it took, {@code hashes FIRST COUNT} prints a hash of each.
 */
public final class SimulationMain {

  private SimulationMain() {}

  /** Exits with 1 when a world breaks. */
  public static void main(String[] args) {
    if (args.length == 1) {
      System.out.println("hash " + Worlds.replay(Long.parseLong(args[0]), System.out));
    } else if (args[0].equals("hashes")) {
      long first = Long.parseLong(args[1]);
      for (long seed = first; seed < first + Long.parseLong(args[2]); seed++) {
        System.out.println(seed + " " + Worlds.hash(seed));
      }
    } else {
      search(Long.parseLong(args[0]), Long.parseLong(args[1]));
    }
  }

  private static void search(long first, long count) {
    Map<Happening, Long> all = new EnumMap<>(Happening.class);
    List<Worlds.Failed> failures = new ArrayList<>();
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count && failures.isEmpty(); seed++) {
      Worlds.run(
          seed,
          happened -> happened.forEach((what, times) -> all.merge(what, times, Long::sum)),
          failures::add);
    }
    long millis = (System.nanoTime() - begun) / 1_000_000;
    for (Worlds.Failed failed : failures) {
      System.out.println(failed.toError().getMessage());
      failed.reason().printStackTrace(System.out);
      String invariant =
          failed.reason() instanceof Invariant.Broken broken
              ? broken.invariant().toString()
              : failed.reason().getClass().getSimpleName();
      System.out.printf(
          "FOUND %s after %d seeds in %d ms%n", invariant, failed.seed() - first + 1, millis);
    }
    if (failures.isEmpty()) {
      System.out.println(all);
      System.out.printf("NOT FOUND in %d seeds, %d ms%n", count, millis);
    } else {
      System.exit(1);
    }
  }
}
