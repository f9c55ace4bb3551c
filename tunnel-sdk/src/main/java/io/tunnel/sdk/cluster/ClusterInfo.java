package io.tunnel.sdk.cluster;

import java.util.List;
import java.util.Objects;

/**
 * A cluster as the node that answered sees it.
 *
 * @param name the prefix of the cluster's topics
 * @param generation grows with every decision about which node leads what
 * @param node the name of the node that answered
 * @param nodes the members, this one too
 * @param gone nodes that it has seen as members since its start, and that are none now: for a week
 *     at most, and until they come back
 */
public record ClusterInfo(
    String name, long generation, String node, List<NodeInfo> nodes, List<GoneNode> gone) {

  /** Refuses null and copies the lists. */
  public ClusterInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(node, "node");
    nodes = List.copyOf(nodes);
    gone = List.copyOf(gone);
  }
}
