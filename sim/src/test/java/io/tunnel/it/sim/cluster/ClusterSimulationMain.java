package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.Worlds;

/** Clusters without a build: see {@link Worlds#main}. */
public final class ClusterSimulationMain {

  private ClusterSimulationMain() {}

  /** Exits with 1 when a cluster breaks. */
  public static void main(String[] args) {
    ClusterSimulation.WORLDS.main(args);
  }
}
