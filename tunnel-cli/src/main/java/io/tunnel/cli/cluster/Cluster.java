package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.wire.ClusterControl.ClusterDescription;
import io.tunnel.wire.ClusterControl.NodeDescription;
import io.tunnel.wire.ClusterControl.NodeStatus;
import java.util.Optional;

/** The nodes of a cluster. Every method may throw {@link io.tunnel.model.RefusedException}. */
public interface Cluster extends Service {

  /** The cluster as one of its nodes sees it. */
  ClusterDescription describe();

  /** What a node says of itself; empty when it does not answer. */
  Optional<NodeStatus> status(NodeDescription node);

  /** Tells a node to give up all that it leads, or to take part again. */
  void drain(NodeDescription node, boolean isDraining);
}
