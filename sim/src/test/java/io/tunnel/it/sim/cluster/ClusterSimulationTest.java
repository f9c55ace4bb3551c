package io.tunnel.it.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.sim.Floors;
import io.tunnel.it.sim.Seeds;
import io.tunnel.it.sim.Worlds;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Many clusters, each from its seed; a part of the seeds is new in every run. {@code
 * -Dsim.cluster.seeds} says how many, {@code -Dsim.cluster.base} from which seed on, and {@code
 * -Dsim.cluster.seed} replays one with everything that happens in it.
 */
class ClusterSimulationTest {

  private static final Seeds SEEDS = Seeds.of("sim.cluster", 260, 40);
  private static final long REPLAYED = 6;

  /** Of fewer clusters than this the shares say little. */
  private static final long COVERING_SEEDS = 250;

  @Test
  void every_promise_holds_in_every_cluster() {
    Long one = Long.getLong("sim.cluster.seed");
    if (one != null) {
      System.out.println("hash " + ClusterWorlds.replay(one, System.out));
      return;
    }
    System.out.println("clusters: " + SEEDS);
    ConcurrentLinkedQueue<ClusterWorlds.Failed> failures = new ConcurrentLinkedQueue<>();
    Floors<ClusterHappening> floors =
        new Floors<>(ClusterHappening.class, ClusterHappening::percentMin);
    LongStream.of(SEEDS.all())
        .parallel()
        .takeWhile(seed -> failures.isEmpty())
        .forEach(seed -> ClusterWorlds.run(seed, floors::add, failures::add));
    if (!failures.isEmpty()) {
      throw failures.peek().toError();
    }
    System.out.println("clusters: " + floors);
    if (SEEDS.count() >= COVERING_SEEDS) {
      assertThat(floors.tooRare()).as("what happened too rarely in %s", SEEDS).isEmpty();
    }
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
  void a_seed_gives_the_same_cluster_again() {
    for (long seed : replayed()) {
      assertThat(ClusterWorlds.hash(seed)).as("seed %d", seed).isEqualTo(ClusterWorlds.hash(seed));
    }
  }

  @Test
  void another_process_sees_the_same_clusters() throws Exception {
    StringBuilder here = new StringBuilder();
    for (long seed : replayed()) {
      here.append(seed).append(' ').append(ClusterWorlds.hash(seed)).append('\n');
    }
    assertThat(Worlds.hashesElsewhere(ClusterSimulationMain.class, firstReplayed(), REPLAYED))
        .isEqualTo(here.toString());
  }
}
