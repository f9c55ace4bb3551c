package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.seeds.Worlds;
import java.util.Arrays;

/**
 * Clusters without a build: see {@link Worlds#command}. {@code appends} before the other arguments
 * chooses clusters whose log has a record for each append.
 */
public final class ClusterSimulationMain {

  private ClusterSimulationMain() {}

  /** Exits with 1 when a cluster breaks. */
  public static void main(String[] args) {
    boolean isOfAppends = args[0].equals("appends");
    if (isOfAppends) {
      ClusterSimulation.APPENDS.command(Arrays.copyOfRange(args, 1, args.length));
    } else {
      ClusterSimulation.WORLDS.command(args);
    }
  }
}
