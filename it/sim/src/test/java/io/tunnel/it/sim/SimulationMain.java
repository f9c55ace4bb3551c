package io.tunnel.it.sim;

import io.tunnel.it.sim.seeds.Worlds;

/** Worlds of one server without a build: see {@link Worlds#command}. */
public final class SimulationMain {

  private SimulationMain() {}

  /** Exits with 1 when a world breaks. */
  public static void main(String[] args) {
    Simulation.WORLDS.command(args);
  }
}
