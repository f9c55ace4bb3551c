package io.tunnel.sdk.cluster;

import java.util.List;
import java.util.Objects;

/**
 * A node as it says itself.
 *
 * @param name the node's
 * @param replicas one for each partition that it keeps a replica of
 */
public record NodeStatus(String name, List<ReplicaStatus> replicas) {

  /** Refuses null and copies the list. */
  public NodeStatus {
    Objects.requireNonNull(name, "name");
    replicas = List.copyOf(replicas);
  }
}
