package io.tunnel.sdk.cluster;

import java.util.List;
import java.util.Objects;

/**
 * The status that a node gives of itself.
 *
 * @param name the node's name
 * @param replicas the node's replicas, one per partition
 */
public record NodeStatus(String name, List<ReplicaStatus> replicas) {

  /** Refuses null and copies the list. */
  public NodeStatus {
    Objects.requireNonNull(name, "name");
    replicas = List.copyOf(replicas);
  }
}
