package io.tunnel.it.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.sim.Worlds;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Many clusters, each from its seed. {@code -Dsim.cluster.seeds} says how many, {@code
 * -Dsim.cluster.base} from which seed on, which is always the same one without the profile {@code
 * sim}, and {@code -Dsim.cluster.seed} replays one with everything that happens in it.
 */
class ClusterSimulationTest {

  private static final long SEEDS = Long.getLong("sim.cluster.seeds", 400);
  private static final long BASE = base();
  private static final long REPLAYED = 6;

  /** Fewer seeds than this need not happen to exercise everything. */
  private static final long COVERING_SEEDS = 300;

  private static long base() {
    return Long.getLong(
        "sim.cluster.base", Boolean.getBoolean("sim.fresh") ? System.nanoTime() : 1);
  }

  @Test
  void every_promise_holds_in_every_cluster() {
    Long one = Long.getLong("sim.cluster.seed");
    if (one != null) {
      System.out.println("hash " + ClusterWorlds.replay(one, System.out));
      return;
    }
    System.out.printf("clusters: %d seeds from %d%n", SEEDS, BASE);
    ConcurrentLinkedQueue<ClusterWorlds.Failed> failures = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Map<ClusterHappening, Long>> happened = new ConcurrentLinkedQueue<>();
    LongStream.range(BASE, BASE + SEEDS)
        .parallel()
        .takeWhile(seed -> failures.isEmpty())
        .forEach(seed -> ClusterWorlds.run(seed, happened::add, failures::add));
    if (!failures.isEmpty()) {
      throw failures.peek().toError();
    }
    Map<ClusterHappening, Long> all = new EnumMap<>(ClusterHappening.class);
    happened.forEach(each -> each.forEach((what, count) -> all.merge(what, count, Long::sum)));
    System.out.println("clusters: " + all);
    if (SEEDS >= COVERING_SEEDS) {
      EnumSet<ClusterHappening> expected = EnumSet.allOf(ClusterHappening.class);
      expected.remove(ClusterHappening.NOTHING_LOST);
      assertThat(all.keySet()).as("what happened").containsAll(expected);
    }
  }

  @Test
  void a_seed_gives_the_same_cluster_again() {
    for (long seed = BASE; seed < BASE + REPLAYED; seed++) {
      assertThat(ClusterWorlds.hash(seed)).as("seed %d", seed).isEqualTo(ClusterWorlds.hash(seed));
    }
  }

  @Test
  void another_process_sees_the_same_clusters() throws Exception {
    StringBuilder here = new StringBuilder();
    for (long seed = BASE; seed < BASE + REPLAYED; seed++) {
      here.append(seed).append(' ').append(ClusterWorlds.hash(seed)).append('\n');
    }
    assertThat(Worlds.hashesElsewhere(ClusterSimulationMain.class, BASE, REPLAYED))
        .isEqualTo(here.toString());
  }
}
