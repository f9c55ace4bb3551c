package io.tunnel.server.cluster;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import java.util.Optional;

/**
 * The cluster as this node sees it. What it says of leaders is a hint for clients. May be asked by
 * any thread.
 */
public interface ClusterView {

  /** Whether there are no other nodes, and never will be. */
  default boolean isAlone() {
    return false;
  }

  /** HOST:PORT where clients reach this node. */
  String address();

  /** HOST:PORT of the node that leads a unit, or is to; empty when nobody is. */
  Optional<String> leader(int unit);

  /** As {@link #leader}, if that is another node. */
  default Optional<String> leaderElsewhere(int unit) {
    return leader(unit).filter(address -> !address.equals(address()));
  }

  /** Whether this node leads the catalog: what it does not know of tables does not exist. */
  boolean leadsCatalog();

  /** All nodes, and what they lead. */
  ClusterDescription describe();

  /** What this node has replicas of. */
  NodeStatus status();

  /** Gives up all that this node leads and follows, or takes part again; begun when it returns. */
  void drain(boolean isDraining);

  /** What is said of a unit that this node does not lead. */
  default RefusedException notLeader(int unit, String what) {
    // This node may be the one that is to lead it, and not be there yet: that helps nobody.
    Optional<String> leader = leaderElsewhere(unit);
    return RefusedException.notLeader(
        leader
            .map(address -> what + " is served by the node at " + address)
            .orElse(what + " has no leader at the moment; try again"),
        leader);
  }

  /** A server that is no node of a cluster. */
  static ClusterView none() {
    return Alone.INSTANCE;
  }

  /** A server that leads everything and knows no others. */
  final class Alone implements ClusterView {
    private static final ClusterView INSTANCE = new Alone();

    private Alone() {}

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
