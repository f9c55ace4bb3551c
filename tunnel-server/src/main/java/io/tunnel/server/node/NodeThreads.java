package io.tunnel.server.node;

import io.tunnel.server.cluster.Unit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads that own what a node does: one for the catalog and for the node itself, one for each
 * group of tunnels. A write to the store of a group is waited for; so a log that does not answer
 * holds up the tunnels of that group, and nothing else.
 */
record NodeThreads(ScheduledExecutorService control, List<ScheduledExecutorService> groups) {

  /** Refuses too few or too many. */
  NodeThreads {
    groups = List.copyOf(groups);
    if (groups.size() != Unit.TUNNEL_GROUPS) {
      throw new IllegalArgumentException(
          Unit.TUNNEL_GROUPS + " groups of tunnels on " + groups.size() + " threads");
    }
  }

  /** One thread that owns everything. */
  static NodeThreads one(ScheduledExecutorService control) {
    return new NodeThreads(control, Collections.nCopies(Unit.TUNNEL_GROUPS, control));
  }

  /** The thread of a group of tunnels. */
  ScheduledExecutorService ofGroup(int group) {
    return groups.get(group);
  }
}
