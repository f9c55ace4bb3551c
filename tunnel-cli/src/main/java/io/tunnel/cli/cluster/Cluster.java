package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import java.util.Optional;

/** The nodes of a cluster. Every method may throw {@link io.tunnel.model.RefusedException}. */
public interface Cluster extends Service {

  /** The cluster as one of its nodes sees it. */
  ClusterInfo describe();

  /** What a node says of itself; empty when it does not answer. */
  Optional<NodeStatus> status(NodeInfo node);

  /** Tells a node to give up all that it leads, or to take part again. */
  void drain(NodeInfo node, boolean isDraining);
}
