package io.tunnel.it.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Many clusters, each from its seed. {@code -Dsim.cluster.seeds} says how many, {@code
 * -Dsim.cluster.base} from which seed on, and {@code -Dsim.cluster.seed} replays one with
 * everything that happens in it.
 */
class ClusterSimulationTest {

  private static final long SEEDS = Long.getLong("sim.cluster.seeds", 60);
  private static final long BASE = Long.getLong("sim.cluster.base", 1);
  private static final long REPLAYED = 3;

  @Test
  void every_promise_holds_in_every_cluster() {
    Long one = Long.getLong("sim.cluster.seed");
    if (one != null) {
      System.out.println("hash " + ClusterWorlds.replay(one, System.out));
      return;
    }
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
    assertThat(all).as("what happened").containsKey(ClusterHappening.WRITE_ACKNOWLEDGED);
  }

  @Test
  void a_seed_gives_the_same_cluster_again() {
    for (long seed = BASE; seed < BASE + REPLAYED; seed++) {
      assertThat(ClusterWorlds.hash(seed)).as("seed %d", seed).isEqualTo(ClusterWorlds.hash(seed));
    }
  }
}
