package io.tunnel.it.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Many worlds, each from its seed. {@code -Dsim.seeds} says how many, {@code -Dsim.base} from which
 * seed on, which is always the same one without the profile {@code sim}, and {@code -Dsim.seed}
 * replays one with everything that happens in it.
 */
class SimulationTest {

  private static final long SEEDS = Long.getLong("sim.seeds", 2_500);
  private static final long BASE = base();
  private static final long PROGRESS_EVERY = 1_000;
  private static final long REPLAYED = 12;

  /** Fewer seeds than this need not happen to exercise everything. */
  private static final long COVERING_SEEDS = 1_500;

  private static long base() {
    return Long.getLong("sim.base", Boolean.getBoolean("sim.fresh") ? System.nanoTime() : 1);
  }

  @Test
  void every_promise_holds_in_every_world() throws InterruptedException {
    Long one = Long.getLong("sim.seed");
    if (one != null) {
      System.out.println("hash " + Worlds.replay(one, System.out));
      return;
    }
    System.out.printf("simulation: %d seeds from %d%n", SEEDS, BASE);
    Map<Happening, Long> happened = run(LongStream.range(BASE, BASE + SEEDS).toArray());
    System.out.println("simulation: " + happened);
    if (SEEDS >= COVERING_SEEDS) {
      assertThat(happened.keySet()).as("what happened").contains(Happening.values());
    }
  }

  private static Map<Happening, Long> run(long[] seeds) throws InterruptedException {
    AtomicLong next = new AtomicLong();
    ConcurrentLinkedQueue<Worlds.Failed> failures = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Map<Happening, Long>> happened = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread =
          new Thread(
              () -> {
                for (long n = next.getAndIncrement();
                    n < seeds.length && failures.isEmpty();
                    n = next.getAndIncrement()) {
                  Worlds.run(seeds[(int) n], happened::add, failures::add);
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
    Map<Happening, Long> all = new EnumMap<>(Happening.class);
    happened.forEach(each -> each.forEach((what, count) -> all.merge(what, count, Long::sum)));
    return all;
  }

  @Test
  void a_seed_gives_the_same_world_again() {
    for (long seed = BASE; seed < BASE + REPLAYED; seed++) {
      assertThat(Worlds.hash(seed)).as("seed %d", seed).isEqualTo(Worlds.hash(seed));
    }
  }

  @Test
  void another_process_sees_the_same_worlds() throws Exception {
    StringBuilder here = new StringBuilder();
    for (long seed = BASE; seed < BASE + REPLAYED; seed++) {
      here.append(seed).append(' ').append(Worlds.hash(seed)).append('\n');
    }
    assertThat(Worlds.hashesElsewhere(SimulationMain.class, BASE, REPLAYED))
        .isEqualTo(here.toString());
  }
}
