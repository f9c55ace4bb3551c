package io.tunnel.it.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Many worlds, each from its seed; a part of the seeds is new in every run. {@code -Dsim.seeds}
 * says how many, {@code -Dsim.base} from which seed on, and {@code -Dsim.seed} replays one with
 * everything that happens in it.
 */
class SimulationTest {

  private static final Seeds SEEDS = Seeds.of("sim", 1_300, 200);
  private static final long PROGRESS_EVERY = 1_000;
  private static final long REPLAYED = 12;

  /** Of fewer worlds than this the shares say little. */
  private static final long COVERING_SEEDS = 1_200;

  @Test
  void every_promise_holds_in_every_world() throws InterruptedException {
    Long one = Long.getLong("sim.seed");
    if (one != null) {
      System.out.println("hash " + Worlds.replay(one, System.out));
      return;
    }
    System.out.println("simulation: " + SEEDS);
    Floors<Happening> floors = run(SEEDS.all());
    System.out.println("simulation: " + floors);
    if (SEEDS.count() >= COVERING_SEEDS) {
      assertThat(floors.tooRare()).as("what happened too rarely in %s", SEEDS).isEmpty();
    }
  }

  private static Floors<Happening> run(long[] seeds) throws InterruptedException {
    AtomicLong next = new AtomicLong();
    ConcurrentLinkedQueue<Worlds.Failed> failures = new ConcurrentLinkedQueue<>();
    Floors<Happening> floors = new Floors<>(Happening.class, Happening::percentMin);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread =
          new Thread(
              () -> {
                for (long n = next.getAndIncrement();
                    n < seeds.length && failures.isEmpty();
                    n = next.getAndIncrement()) {
                  Worlds.run(seeds[(int) n], floors::add, failures::add);
                  if (n % PROGRESS_EVERY == PROGRESS_EVERY - 1) {
                    System.out.printf("simulation: %d of %d seeds%n", n + 1, seeds.length);
                  }
                }
              },
              "simulation-" + i);
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

  /** The last ones, which are new. */
  private static long[] replayed() {
    return LongStream.range(firstReplayed(), firstReplayed() + REPLAYED).toArray();
  }

  private static long firstReplayed() {
    long[] all = SEEDS.all();
    return all[all.length - 1];
  }

  @Test
  void a_seed_gives_the_same_world_again() {
    for (long seed : replayed()) {
      assertThat(Worlds.hash(seed)).as("seed %d", seed).isEqualTo(Worlds.hash(seed));
    }
  }

  @Test
  void another_process_sees_the_same_worlds() throws Exception {
    StringBuilder here = new StringBuilder();
    for (long seed : replayed()) {
      here.append(seed).append(' ').append(Worlds.hash(seed)).append('\n');
    }
    assertThat(Worlds.hashesElsewhere(SimulationMain.class, firstReplayed(), REPLAYED))
        .isEqualTo(here.toString());
  }
}
