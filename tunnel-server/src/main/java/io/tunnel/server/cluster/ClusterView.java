package io.tunnel.server.cluster;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cluster as this node sees it; the leaders in it are hints for clients. Safe for use by any
 * thread.
 */
public interface ClusterView {

  /** Whether this server is no node of a cluster. */
  default boolean isAlone() {
    return false;
  }

  /** HOST:PORT where clients reach this node. */
  String address();

  /** HOST:PORT of the node that leads a unit or is about to; empty when there is none. */
  Optional<String> leader(int unit);

  /** Like {@link #leader}, but empty when the leader is this node. */
  default Optional<String> leaderElsewhere(int unit) {
    return leader(unit).filter(address -> !address.equals(address()));
  }

  /** Whether this node leads the catalog: a table that it does not know does not exist. */
  boolean leadsCatalog();

  /** The nodes of the cluster, with their units. */
  ClusterDescription describe();

  /** HOST:PORT of the node with this name; empty when the cluster has no such node now. */
  default Optional<String> addressOf(String node) {
    return isAlone()
        ? Optional.empty()
        : describe().nodes().stream()
            .filter(one -> one.name().equals(node))
            .map(NodeDescription::address)
            .findFirst();
  }

  /** The level, and who serves which level; any thread. */
  LevelCore levels();

  /**
   * Raises the level; does nothing where the level is as high already. Durable when it returns. For
   * the control thread.
   *
   * @throws RefusedException FEATURE_NOT_ENABLED when a member does not serve the level; NOT_LEADER
   *     when another node decides about the catalog; BUSY when the members are not known now
   * @throws IOException when the level cannot be stored, or the outcome is unknown
   */
  void raise(int to) throws IOException;

  /** The replicas of this node. */
  NodeStatus status();

  /** The replicas that nodes of the cluster may look at. Empty for a server alone. */
  default Optional<LookedAt> lookedAt() {
    return Optional.empty();
  }

  /**
   * Replicas for looks of the cluster's nodes.
   *
   * @param node name of this node
   */
  record LookedAt(String node, PartitionLooks looks) {
    /** Refuses null. */
    public LookedAt {
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(looks, "looks");
    }
  }

  /** Begins to empty this node, or lets it lead and follow again; returns at once. */
  void drain(boolean isDraining);

  /** The refusal of a request for a unit that this node does not lead. */
  default RefusedException notLeader(int unit, String what) {
    // Naming this node, which may be about to lead the unit, would not help the client.
    Optional<String> leader = leaderElsewhere(unit);
    return RefusedException.notLeader(
        leader
            .map(address -> what + " is served by the node at " + address)
            .orElse(what + " has no leader now; try again"),
        leader);
  }

  /** A server that is no node of a cluster, at the highest level of its build. */
  static ClusterView none() {
    return new Alone(OwnLevel.newest());
  }

  /** A server that is no node of a cluster, and keeps a level of its own. */
  static ClusterView alone(OwnLevel level) {
    return new Alone(level);
  }

  /** A server alone, which leads all units. */
  final class Alone implements ClusterView {

    /** The name of a server without a name, in answers about levels. */
    private static final String NAME = "server";

    private final OwnLevel level;

    private Alone(OwnLevel level) {
      this.level = level;
    }

    @Override
    public LevelCore levels() {
      return new LevelCore(level.level(), new TreeMap<>(Map.of(NAME, level.levelMax())));
    }

    @Override
    public void raise(int to) throws IOException {
      if (levels().mayRaise(to)) {
        level.raise(to);
      }
    }

    @Override
    public boolean isAlone() {
      return true;
    }

    @Override
    public String address() {
      return "";
    }

    @Override
    public Optional<String> leader(int unit) {
      return Optional.empty();
    }

    @Override
    public boolean leadsCatalog() {
      return true;
    }

    @Override
    public ClusterDescription describe() {
      throw alone();
    }

    @Override
    public NodeStatus status() {
      throw alone();
    }

    @Override
    public void drain(boolean isDraining) {
      throw alone();
    }

    private static RefusedException alone() {
      return new RefusedException(
          ErrorCode.INVALID_REQUEST, "this server is not a node of a cluster");
    }
  }
}
