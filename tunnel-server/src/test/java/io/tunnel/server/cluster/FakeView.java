package io.tunnel.server.cluster;

import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A cluster whose leaders a test chooses. */
public final class FakeView implements ClusterView {

  private final String address;
  private final Map<Integer, String> leaders = new HashMap<>();
  private final List<NodeDescription> nodes = new CopyOnWriteArrayList<>();
  private boolean isDraining;
  private Optional<LookedAt> lookedAt = Optional.empty();

  private LevelCore levels = new LevelCore(1, new TreeMap<>(Map.of("a", 1)));
  private Optional<IOException> raiseFailure = Optional.empty();
  private int raises;

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
    nodes.add(
        new NodeDescription(name, "i", nodeAddress, false, List.of(), List.of(), 0, false, 1));
  }

  /** Whether this node was drained. */
  public boolean isDraining() {
    return isDraining;
  }

  /** Other nodes may look at this node, which has the name {@code node}. */
  public void answersLooks(String node, PartitionLooks looks) {
    lookedAt = Optional.of(new LookedAt(node, looks));
  }

  @Override
  public Optional<LookedAt> lookedAt() {
    return lookedAt;
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
    return new ClusterDescription("fake", 7, "a", nodes, List.of(), 1);
  }

  /** The members from now on, with the highest level of each. */
  public void serve(Map<String, Integer> levelMaxByNode) {
    levels = new LevelCore(levels.level(), new TreeMap<>(levelMaxByNode));
  }

  /** The level from now on. */
  public void level(int level) {
    levels = new LevelCore(level, levels.levelMaxByNode());
  }

  /** Fails raises with this until another is set. */
  public void failRaises(Optional<IOException> failure) {
    raiseFailure = failure;
  }

  @Override
  public LevelCore levels() {
    return levels;
  }

  @Override
  public void raise(int to) throws IOException {
    if (levels.mayRaise(to)) {
      raises++;
      if (raiseFailure.isPresent()) {
        throw raiseFailure.get();
      }
      level(to);
    }
  }

  /** How often the level was to be raised. */
  public int raises() {
    return raises;
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
