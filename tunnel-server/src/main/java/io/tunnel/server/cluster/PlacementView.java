package io.tunnel.server.cluster;

import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The cluster by the newest placement that a node received. */
public final class PlacementView implements ClusterView {

  private final String cluster;
  private final String address;
  private final Supplier<Placement> placement;
  private final Part part;

  /** This node's own part in the cluster. */
  public interface Part {

    /** The node's name. */
    String name();

    /** Whether the node leads the unit and is ready to serve it. */
    boolean leads(int unit);

    /** Former members of the cluster that the node has seen. */
    List<GoneNode> gone();

    /** See {@link ClusterView#status}. */
    NodeStatus status();

    /** See {@link ClusterView#drain}. */
    void drain(boolean isDraining);

    /** The level of the cluster, as the node has read it. */
    int level();

    /** See {@link ClusterView#raise}. */
    void raise(int to, LevelCore levels) throws IOException;

    /** The looks that this node answers. */
    PartitionLooks looks();
  }

  /**
   * A view of the cluster {@code cluster}.
   *
   * @param address HOST:PORT where clients reach this node
   */
  public PlacementView(String cluster, String address, Supplier<Placement> placement, Part part) {
    this.cluster = cluster;
    this.address = address;
    this.placement = placement;
    this.part = part;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public Optional<String> leader(int unit) {
    return part.leads(unit)
        ? Optional.of(address)
        : placement.get().leader(unit).map(Placement.Member::address);
  }

  @Override
  public boolean leadsCatalog() {
    return part.leads(Unit.CATALOG);
  }

  @Override
  public ClusterDescription describe() {
    Placement now = placement.get();
    List<NodeDescription> nodes = new ArrayList<>();
    for (Placement.Member node : now.nodes()) {
      nodes.add(describe(now, node));
    }
    return new ClusterDescription(
        cluster, now.generation(), part.name(), nodes, part.gone(), part.level());
  }

  @Override
  public Optional<String> addressOf(String node) {
    for (Placement.Member one : placement.get().nodes()) {
      if (one.name().equals(node)) {
        return Optional.of(one.address());
      }
    }
    return Optional.empty();
  }

  private static NodeDescription describe(Placement now, Placement.Member node) {
    List<Integer> leads =
        now.leaders().entrySet().stream()
            .filter(entry -> entry.getValue().equals(node.name()))
            .map(Map.Entry::getKey)
            .toList();
    return new NodeDescription(
        node.name(),
        node.incarnation(),
        node.address(),
        node.isDraining(),
        leads.stream().filter(Unit::isPartition).toList(),
        now.replicas().entrySet().stream()
            .filter(entry -> entry.getValue().contains(node.name()))
            .map(Map.Entry::getKey)
            .toList(),
        (int) leads.stream().filter(Unit::isTunnels).count(),
        leads.contains(Unit.CATALOG),
        node.levelMax());
  }

  @Override
  public LevelCore levels() {
    return LevelCore.of(part.level(), placement.get().nodes());
  }

  @Override
  public void raise(int to) throws IOException {
    part.raise(to, levels());
  }

  @Override
  public NodeStatus status() {
    return part.status();
  }

  @Override
  public Optional<LookedAt> lookedAt() {
    return Optional.of(new LookedAt(part.name(), part.looks()));
  }

  @Override
  public void drain(boolean isDraining) {
    part.drain(isDraining);
  }
}
