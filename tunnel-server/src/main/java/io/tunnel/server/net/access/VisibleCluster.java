package io.tunnel.server.net.access;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The cluster as a caller may see it. Partitions of hidden tables are left out: their number, their
 * places and the ends of their logs tell of activity in those tables. A caller with the right to
 * read on the cluster sees all. For any thread.
 */
public record VisibleCluster(Catalog catalog, Caller caller) {

  private boolean sees(int partition) {
    return catalog.hasPartition(partition)
        && caller.sees(catalog.tableOfPartition(partition).meta().name());
  }

  private List<Integer> visible(List<Integer> partitions) {
    return partitions.stream().filter(this::sees).toList();
  }

  /** The description without partitions of hidden tables. */
  public ClusterDescription of(ClusterDescription whole) {
    if (caller.mayOnCluster(Right.READ)) {
      return whole;
    }
    return new ClusterDescription(
        whole.name(),
        whole.generation(),
        whole.node(),
        whole.nodes().stream().map(this::of).toList(),
        whole.gone(),
        whole.level());
  }

  private NodeDescription of(NodeDescription node) {
    return new NodeDescription(
        node.name(),
        node.incarnation(),
        node.address(),
        node.isDraining(),
        visible(node.leads()),
        visible(node.standbys()),
        node.tunnelGroups(),
        node.isCatalogLeader(),
        node.levelMax());
  }

  /** The status without partitions of hidden tables. */
  public NodeStatus of(NodeStatus whole) {
    return caller.mayOnCluster(Right.READ)
        ? whole
        : new NodeStatus(
            whole.name(),
            whole.replicas().stream().filter(replica -> sees(replica.partition())).toList());
  }

  /**
   * The figures of a node, which tell of all its tables.
   *
   * @throws io.tunnel.model.RefusedException NOT_PERMITTED to a caller without the right to read on
   *     the cluster
   */
  public NodeStatus figures(String node, Supplier<Optional<NodeFigures>> figures) {
    caller.requireOnCluster(Right.READ);
    return new NodeStatus(node, List.of(), figures.get());
  }
}
