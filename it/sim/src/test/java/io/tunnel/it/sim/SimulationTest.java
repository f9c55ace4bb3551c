package io.tunnel.it.sim;

import io.tunnel.it.sim.seeds.Seeds;
import io.tunnel.it.sim.seeds.SeedsRun;
import org.junit.jupiter.api.Test;

/** Many worlds of one server; properties {@code sim.seeds}, {@code sim.base}, {@code sim.seed}. */
class SimulationTest {

  private static final long CLOCK_SET_BACK_OVER_AN_END = 1_795_696_030_880_424L;

  private static final SeedsRun<Happening> RUN =
      new SeedsRun<>(
          Simulation.WORLDS,
          Seeds.of("sim", 1_300, 200).andFound(CLOCK_SET_BACK_OVER_AN_END),
          1_200,
          12);

  @Test
  void every_promise_holds_in_every_world() throws InterruptedException {
    RUN.requirePromises();
  }

  @Test
  void a_seed_gives_the_same_world_again() {
    RUN.requireSameAgain();
  }

  @Test
  void another_process_sees_the_same_worlds() throws Exception {
    RUN.requireSameElsewhere(SimulationMain.class);
  }
}
