package io.tunnel.it.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * Simulations without a build: {@code SEED} replays one, {@code FIRST COUNT} looks for one that
 * breaks and says how many it took, {@code all FIRST COUNT} runs them all and says which break,
 * {@code hashes FIRST COUNT} prints a hash of each.
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
    } else if (args[0].equals("all")) {
      all(Long.parseLong(args[1]), Long.parseLong(args[2]));
    } else {
      search(Long.parseLong(args[0]), Long.parseLong(args[1]));
    }
  }

  private static void all(long first, long count) {
    Floors<Happening> floors = new Floors<>(Happening.class, Happening::percentMin);
    List<Worlds.Failed> failures = new ArrayList<>();
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count; seed++) {
      int before = failures.size();
      Worlds.run(seed, floors::add, failures::add);
      if (failures.size() > before) {
        System.out.println("FOUND seed " + seed + " " + failures.get(before).reason());
      }
    }
    long millis = (System.nanoTime() - begun) / 1_000_000;
    System.out.println(floors);
    System.out.println("too rare: " + floors.tooRare());
    System.out.printf("%d of %d seeds break, %d ms%n", failures.size(), count, millis);
    System.exit(failures.isEmpty() ? 0 : 1);
  }

  private static void search(long first, long count) {
    Floors<Happening> floors = new Floors<>(Happening.class, Happening::percentMin);
    List<Worlds.Failed> failures = new ArrayList<>();
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count && failures.isEmpty(); seed++) {
      Worlds.run(seed, floors::add, failures::add);
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
      System.out.println(floors);
      System.out.printf("NOT FOUND in %d seeds, %d ms%n", count, millis);
    } else {
      System.exit(1);
    }
  }
}
