package io.tunnel.server.cluster;

import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A cluster whose leaders a test chooses. */
public final class FakeView implements ClusterView {

  private final String address;
  private final Map<Integer, String> leaders = new HashMap<>();
  private final List<NodeDescription> nodes = new CopyOnWriteArrayList<>();
  private boolean isDraining;

  /** A node at {@code address}, which leads nothing. */
  public FakeView(String address) {
    this.address = address;
  }

  /** The node at {@code leader} leads a unit. */
  public void leads(int unit, String leader) {
    leaders.put(unit, leader);
  }

  /** The cluster has a node of that name at {@code nodeAddress}. */
  public void has(String name, String nodeAddress) {
    nodes.add(new NodeDescription(name, "i", nodeAddress, false, List.of(), List.of(), 0, false));
  }

  /** Whether this node was drained. */
  public boolean isDraining() {
    return isDraining;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public Optional<String> leader(int unit) {
    return Optional.ofNullable(leaders.get(unit));
  }

  @Override
  public boolean leadsCatalog() {
    return leader(Unit.CATALOG).equals(Optional.of(address));
  }

  @Override
  public ClusterDescription describe() {
    return new ClusterDescription("fake", 7, "a", nodes, List.of());
  }

  @Override
  public NodeStatus status() {
    return new NodeStatus("a", List.of(new ReplicaStatus(1, "LEADING", 2, 3, 4)));
  }

  @Override
  public void drain(boolean isDrainingNow) {
    isDraining = isDrainingNow;
  }
}
