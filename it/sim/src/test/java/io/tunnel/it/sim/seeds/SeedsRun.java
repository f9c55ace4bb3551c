package io.tunnel.it.sim.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Runs many seeded worlds of a kind on all cores; a part of the seeds is new in every run. Of the
 * properties that begin as the kind says, {@code .seeds} says how many, {@code .base} from which
 * seed on, and {@code .seed} replays one with everything that happens in it.
 *
 * @param <E> events of the worlds
 */
public final class SeedsRun<E extends Enum<E> & Floored> {

  private static final long PROGRESS_EVERY = 1_000;

  private final Worlds<E> worlds;
  private final Seeds seeds;
  private final long covering;
  private final long replayed;

  /**
   * A run that has not begun.
   *
   * @param covering of fewer worlds than this the shares of what happened say little
   * @param replayed how many worlds are run again, to see that a seed says everything
   */
  public SeedsRun(Worlds<E> worlds, Seeds seeds, long covering, long replayed) {
    this.worlds = worlds;
    this.seeds = seeds;
    this.covering = covering;
    this.replayed = replayed;
  }

  /** Runs them all; fails with the first that breaks, or when something was too rare in them. */
  public void requirePromises() throws InterruptedException {
    Long one = Long.getLong(worlds.property() + ".seed");
    if (one != null) {
      System.out.println("hash " + worlds.replay(one, System.out));
      return;
    }
    System.out.println(worlds.property() + ": " + seeds);
    Floors<E> floors = runAll();
    System.out.println(worlds.property() + ": " + floors);
    if (seeds.count() >= covering) {
      assertThat(floors.tooRare()).as("what happened too rarely in %s", seeds).isEmpty();
    }
  }

  private Floors<E> runAll() throws InterruptedException {
    AtomicLong next = new AtomicLong();
    ConcurrentLinkedQueue<Worlds.Failed> failures = new ConcurrentLinkedQueue<>();
    Floors<E> floors = worlds.floors();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread =
          new Thread(() -> runSome(next, floors, failures), worlds.property() + "-" + i);
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!failures.isEmpty()) {
      throw failures.peek().toError();
    }
    return floors;
  }

  private void runSome(
      AtomicLong next, Floors<E> floors, ConcurrentLinkedQueue<Worlds.Failed> failures) {
    long[] all = seeds.all();
    for (long n = next.getAndIncrement();
        n < all.length && failures.isEmpty();
        n = next.getAndIncrement()) {
      worlds.run(all[(int) n], floors::add, failures::add);
      if (n % PROGRESS_EVERY == PROGRESS_EVERY - 1) {
        System.out.printf("%s: %d of %d seeds%n", worlds.property(), n + 1, all.length);
      }
    }
  }

  /** From the last seed on, which is new. */
  private long[] replayedSeeds() {
    long[] all = seeds.all();
    long first = all[all.length - 1];
    return LongStream.range(first, first + replayed).toArray();
  }

  /** A world that is run again is the same world. */
  public void requireSameAgain() {
    for (long seed : replayedSeeds()) {
      assertThat(worlds.hash(seed)).as("seed %d", seed).isEqualTo(worlds.hash(seed));
    }
  }

  /**
   * Requires that a world runs the same way in a second process, where objects have different
   * identities: a dependence on their order shows.
   *
   * @param main calls {@link Worlds#command} of the same worlds
   * @param arguments stand before those of {@link Worlds#command}
   */
  public void requireSameElsewhere(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    StringBuilder here = new StringBuilder();
    for (long seed : replayedSeeds()) {
      here.append(seed).append(' ').append(worlds.hash(seed)).append('\n');
    }
    assertThat(hashesElsewhere(main, arguments)).isEqualTo(here.toString());
  }

  private String hashesElsewhere(Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("hashes", Long.toString(replayedSeeds()[0]), Long.toString(replayed)));
    Process other =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String text = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    other.waitFor();
    return text;
  }
}
