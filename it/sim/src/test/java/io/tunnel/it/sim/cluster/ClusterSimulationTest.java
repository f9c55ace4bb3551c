package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.seeds.Seeds;
import io.tunnel.it.sim.seeds.SeedsRun;
import org.junit.jupiter.api.Test;

/**
 * Many clusters; properties {@code sim.cluster.seeds}, {@code sim.cluster.base}, {@code
 * sim.cluster.seed}.
 */
class ClusterSimulationTest {

  private static final SeedsRun<ClusterHappening> RUN =
      new SeedsRun<>(ClusterSimulation.WORLDS, Seeds.of("sim.cluster", 12, 4), 250, 2);

  @Test
  void every_promise_holds_in_every_cluster() throws InterruptedException {
    RUN.requirePromises();
  }

  @Test
  void a_seed_gives_the_same_cluster_again() {
    RUN.requireSameAgain();
  }

  @Test
  void another_process_sees_the_same_clusters() throws Exception {
    RUN.requireSameElsewhere(ClusterSimulationMain.class);
  }
}
