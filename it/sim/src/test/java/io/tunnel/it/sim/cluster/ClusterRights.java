package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.machine.SimKeys;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.rights.RightsTruth;
import io.tunnel.server.security.SecuritySnapshot;
import java.util.Optional;

/** What the nodes of a cluster know of rights, and what comes of them. */
final class ClusterRights implements RightsTruth.Servers {

  private final ClusterWorld world;

  ClusterRights(ClusterWorld world) {
    this.world = world;
  }

  @Override
  public long nowNanos() {
    return world.agenda.nowNanos();
  }

  @Override
  public SimKeys keys() {
    return world.network.keys();
  }

  @Override
  public Optional<SecuritySnapshot> rights(SimProcess server) {
    return world.machines.values().stream()
        .filter(machine -> machine.isOf(server))
        .map(machine -> machine.node().security().snapshot())
        .findFirst();
  }

  @Override
  public boolean isAlone() {
    return false;
  }

  @Override
  public void refused() {
    world.count(ClusterHappening.REFUSED_BY_RIGHTS);
  }

  @Override
  public void cameWithFormer(boolean isLetIn) {
    world.count(isLetIn ? ClusterHappening.CAME_WITH_FORMER : ClusterHappening.REFUSED_WITH_FORMER);
  }

  @Override
  public void ended(SimConnection connection) {
    world.count(ClusterHappening.ENDED_BY_RIGHTS);
    world.truth.disturbed();
  }
}
