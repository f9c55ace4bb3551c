package io.tunnel.server.node;

import io.tunnel.server.cluster.ClusterNode;
import io.tunnel.server.cluster.Placement;
import java.util.Optional;

/** The newest placement of a node, or none before the node is made. Safe for use by any thread. */
final class LastPlacement {

  private final String self;
  private volatile Optional<ClusterNode> node = Optional.empty();

  /** For the node named {@code self}. */
  LastPlacement(String self) {
    this.self = self;
  }

  /** Asks {@code told} from now on. */
  void of(ClusterNode told) {
    node = Optional.of(told);
  }

  /** The newest placement. */
  Placement get() {
    return node.map(ClusterNode::placement).orElse(Placement.NONE);
  }

  /** HOST:PORT of a partition's leader; empty if the leader is unknown or this node. */
  Optional<String> leaderElsewhere(int partition) {
    return get()
        .leader(partition)
        .filter(leader -> !leader.name().equals(self))
        .map(Placement.Member::address);
  }
}
