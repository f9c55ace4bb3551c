package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.truth.Invariant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A node that was silent for too long, and hears its group again, soon knows that it is a member:
 * also where the group has not missed the node, because only the answers to the node were lost.
 */
final class MemberTruth {

  private static final long FOUND_NANOS_MAX = TimeUnit.SECONDS.toNanos(6);

  private final ClusterWorld world;

  /** By node, since when the node has been lost while nothing keeps it from its group. */
  private final Map<String, Long> lostNanos = new TreeMap<>();

  MemberTruth(ClusterWorld world) {
    this.world = world;
  }

  /** Looks at all nodes; to be called again and again. */
  void look() {
    long now = world.agenda.nowNanos();
    for (Machine machine : world.machines.values()) {
      if (mayBeLost(machine)) {
        lostNanos.remove(machine.name);
      } else {
        long since = lostNanos.computeIfAbsent(machine.name, name -> now);
        Invariant.LIVENESS.require(
            now - since < FOUND_NANOS_MAX,
            "%s reaches its group, and has not found the group for %d ms",
            machine.name,
            TimeUnit.NANOSECONDS.toMillis(now - since));
      }
    }
  }

  private boolean mayBeLost(Machine machine) {
    return !machine.isUp()
        || machine.isPaused()
        || !world.group.isStable()
        || !world.reach.isReached(machine.name)
        || !machine.node().node().isLost();
  }
}
