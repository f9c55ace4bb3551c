package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.seeds.Worlds;

/** Clusters without a build: see {@link Worlds#command}. */
public final class ClusterSimulationMain {

  private ClusterSimulationMain() {}

  /** Exits with 1 when a cluster breaks. */
  public static void main(String[] args) {
    ClusterSimulation.WORLDS.command(args);
  }
}
