package io.tunnel.server.node;

import io.tunnel.server.cluster.ClusterNode;
import io.tunnel.server.cluster.Placement;
import java.util.Optional;

/**
 * What a node was last told of its cluster; nothing before it is a part of it. May be asked by any
 * thread.
 */
final class LastPlacement {

  private final String self;
  private volatile Optional<ClusterNode> node = Optional.empty();

  /** Of the node that is called {@code self}. */
  LastPlacement(String self) {
    this.self = self;
  }

  /** From now on that node is told. */
  void of(ClusterNode told) {
    node = Optional.of(told);
  }

  /** Who leads and follows what. */
  Placement get() {
    return node.map(ClusterNode::placement).orElse(Placement.NONE);
  }

  /** Where the leader of a partition is reached, as HOST:PORT, if it is known and another node. */
  Optional<String> leaderElsewhere(int partition) {
    return get()
        .leader(partition)
        .filter(leader -> !leader.name().equals(self))
        .map(Placement.Member::address);
  }
}
