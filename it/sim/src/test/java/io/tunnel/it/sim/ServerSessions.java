package io.tunnel.it.sim;

import io.tunnel.it.sim.truth.LockTruth;
import io.tunnel.sdk.RowSession;

/** The row sessions of a single server, which may be restored. */
final class ServerSessions implements SimTenants.Sessions {

  private final World world;

  ServerSessions(World world) {
    this.world = world;
  }

  @Override
  public void requireKnown(RowSession session) {
    if (world.machine.isRestoredSince(session.id())) {
      if (world.agenda.nowNanos() > world.machine.restoredNanos() + SimTenants.LEASE_NANOS_MAX) {
        LockTruth.requireEnded(session);
      }
    } else if (world.machine.isUp()) {
      LockTruth.requireKnown(session, world.machine.server().catalog().rowSessions()::has);
    }
  }

  @Override
  public int restores() {
    return world.machine.restores();
  }
}
