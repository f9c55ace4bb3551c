package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.Seeds;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Runs clusters, and says of those that break what is needed to see why. */
final class ClusterWorlds {

  private ClusterWorlds() {}

  /** A cluster that broke. */
  record Failed(long seed, Throwable reason, List<String> lastLines, String dump) {

    AssertionError toError() {
      return new AssertionError(
          "seed "
              + seed
              + " breaks "
              + reason
              + "\nThe last events:\n"
              + String.join("\n", lastLines)
              + "\nThen:\n"
              + dump
              + Seeds.replay("ClusterSimulationTest", "sim.cluster", seed),
          reason);
    }
  }

  static void run(
      long seed, Consumer<Map<ClusterHappening, Long>> happened, Consumer<Failed> whenFailed) {
    ClusterSimulation simulation = new ClusterSimulation(seed, line -> {});
    try {
      simulation.run();
      happened.accept(simulation.world.happened);
    } catch (RuntimeException | Error e) {
      whenFailed.accept(
          new Failed(seed, e, simulation.world.trace.lastLines(), simulation.world.dump()));
    }
  }

  static long replay(long seed, PrintStream out) {
    ClusterSimulation simulation = new ClusterSimulation(seed, out::println);
    simulation.run();
    return simulation.world.trace.hash();
  }

  static long hash(long seed) {
    ClusterSimulation simulation = new ClusterSimulation(seed, line -> {});
    simulation.run();
    return simulation.world.trace.hash();
  }
}
