package io.tunnel.sdk.cluster;

import java.util.List;
import java.util.Objects;

/**
 * A cluster, as seen by the node that answered.
 *
 * @param name the prefix of the cluster's topics
 * @param generation grows with every new placement of partitions and tunnels on nodes
 * @param node the name of the node that answered
 * @param nodes the members, including the node that answered
 * @param gone former members that the node has seen since its start, listed until they return, for
 *     a week at most
 * @param level the level of the cluster, which says which features are enabled
 */
public record ClusterInfo(
    String name,
    long generation,
    String node,
    List<NodeInfo> nodes,
    List<GoneNode> gone,
    int level) {

  /** Refuses null and copies the lists. */
  public ClusterInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(node, "node");
    nodes = List.copyOf(nodes);
    gone = List.copyOf(gone);
  }
}
