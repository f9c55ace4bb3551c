package io.tunnel.server.node;

import io.tunnel.server.cluster.Unit;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The threads that own a node's state: one for the catalog and the node itself, and one for each
 * group of tunnels. The thread of a group blocks while it writes the group's store, so a log that
 * does not answer delays only the tunnels of that group.
 */
record NodeThreads(ScheduledExecutorService control, List<ScheduledExecutorService> groups) {

  /** Refuses another number of threads than there are groups. */
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
