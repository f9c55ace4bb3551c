package io.tunnel.it.sim.seeds;

import io.tunnel.it.sim.truth.Invariant;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Makes and runs the worlds of one kind, and says of those that break what is needed to see why.
 *
 * @param <E> what can happen in them
 */
public final class Worlds<E extends Enum<E> & Floored> {

  private final Class<E> happenings;
  private final Maker<E> maker;
  private final String test;
  private final String property;

  /** Makes a world that has not begun. */
  @FunctionalInterface
  public interface Maker<E> {
    /** The world of a seed, which tells {@code listener} each line of what happens. */
    SeededWorld<E> make(long seed, Consumer<String> listener);
  }

  /**
   * Worlds of one kind.
   *
   * @param test which test runs them
   * @param property begins the system properties of that test
   */
  public Worlds(Class<E> happenings, Maker<E> maker, String test, String property) {
    this.happenings = happenings;
    this.maker = maker;
    this.test = test;
    this.property = property;
  }

  /** A world that broke; {@code replay} says how to see it again. */
  record Failed(long seed, Throwable reason, List<String> lastLines, String dump, String replay) {

    /** An error that says how to see it again. */
    AssertionError toError() {
      return new AssertionError(
          "seed "
              + seed
              + " breaks "
              + (reason instanceof Invariant.Broken ? reason.getMessage() : reason)
              + "\nThe last events:\n"
              + String.join("\n", lastLines)
              + "\nThen:\n"
              + dump
              + replay,
          reason);
    }

    private String invariant() {
      return reason instanceof Invariant.Broken broken
          ? broken.invariant().toString()
          : reason.getClass().getSimpleName();
    }
  }

  /** Begins properties, and lines of output. */
  String property() {
    return property;
  }

  /** Nothing has happened yet. */
  Floors<E> floors() {
    return new Floors<>(happenings, Floored::percentMin);
  }

  /** Runs one seed to its end. */
  void run(long seed, Consumer<Map<E, Long>> happened, Consumer<Failed> whenFailed) {
    SeededWorld<E> world = maker.make(seed, line -> {});
    try {
      world.run();
      happened.accept(world.happened());
    } catch (RuntimeException | Error e) {
      whenFailed.accept(
          new Failed(
              seed,
              e,
              world.trace().lastLines(),
              world.dump(),
              Seeds.replay(test, property, seed)));
    }
  }

  /** Runs one seed and prints everything; returns the hash of it. */
  long replay(long seed, PrintStream out) {
    return hash(seed, out::println);
  }

  /** Runs one seed; equal worlds have equal hashes. */
  long hash(long seed) {
    return hash(seed, line -> {});
  }

  private long hash(long seed, Consumer<String> listener) {
    SeededWorld<E> world = maker.make(seed, listener);
    world.run();
    return world.trace().hash();
  }

  /**
   * Worlds without a build: {@code SEED} replays one, {@code find FIRST COUNT} runs them until one
   * breaks, {@code all FIRST COUNT} runs them all and says which break, {@code hashes FIRST COUNT}
   * prints a hash of each. Exits with 1 when one breaks.
   */
  public void command(String[] args) {
    if (args.length == 1) {
      System.out.println("hash " + replay(Long.parseLong(args[0]), System.out));
      return;
    }
    long first = Long.parseLong(args[1]);
    long count = Long.parseLong(args[2]);
    switch (args[0]) {
      case "hashes" -> {
        for (long seed = first; seed < first + count; seed++) {
          System.out.println(seed + " " + hash(seed));
        }
      }
      case "find" -> find(first, count);
      case "all" -> all(first, count);
      default ->
          throw new IllegalArgumentException(
              "SEED, or find, all or hashes with FIRST COUNT, not " + args[0]);
    }
  }

  private void all(long first, long count) {
    Floors<E> floors = floors();
    long[] broken = new long[1];
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count; seed++) {
      run(
          seed,
          floors::add,
          failed -> {
            broken[0]++;
            System.out.println("FOUND seed " + failed.seed() + " " + failed.reason());
          });
    }
    System.out.println(floors);
    System.out.println("too rare: " + floors.tooRare());
    System.out.printf("%d of %d seeds break, %d ms%n", broken[0], count, millisSince(begun));
    System.exit(broken[0] == 0 ? 0 : 1);
  }

  private void find(long first, long count) {
    List<Failed> failures = new ArrayList<>();
    long begun = System.nanoTime();
    for (long seed = first; seed < first + count && failures.isEmpty(); seed++) {
      run(seed, happened -> {}, failures::add);
    }
    for (Failed failed : failures) {
      System.out.println(failed.toError().getMessage());
      failed.reason().printStackTrace(System.out);
      System.out.printf(
          "FOUND %s after %d seeds in %d ms%n",
          failed.invariant(), failed.seed() - first + 1, millisSince(begun));
      System.exit(1);
    }
    System.out.printf("NOT FOUND in %d seeds, %d ms%n", count, millisSince(begun));
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
