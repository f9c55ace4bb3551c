package io.tunnel.sdk.answer;

import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.sdk.cluster.GoneNode;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.ReplicaStatus;
import io.tunnel.sdk.cluster.RowSessionInfo;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.RowSessionControl;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Converts answers about clusters. */
public final class ClusterAnswers {

  private ClusterAnswers() {}

  /** Converts the description of a cluster. */
  public static ClusterInfo cluster(ClusterDescription cluster) {
    return new ClusterInfo(
        cluster.name(),
        cluster.generation(),
        cluster.node(),
        cluster.nodes().stream().map(ClusterAnswers::node).toList(),
        cluster.gone().stream().map(ClusterAnswers::gone).toList(),
        cluster.level());
  }

  private static GoneNode gone(ClusterControl.GoneNode node) {
    return new GoneNode(node.name(), node.address(), Instant.ofEpochMilli(node.lastSeenMs()));
  }

  private static NodeInfo node(NodeDescription node) {
    return new NodeInfo(
        node.name(),
        node.incarnation(),
        node.address(),
        node.isDraining(),
        node.leads(),
        node.standbys(),
        node.tunnelGroups(),
        node.isCatalogLeader(),
        node.levelMax());
  }

  /** Converts the levels of a cluster or a single server. */
  public static ClusterLevels levels(ClusterControl.Levels levels) {
    Map<String, Integer> levelMaxByNode = new TreeMap<>();
    levels.nodes().forEach(node -> levelMaxByNode.put(node.name(), node.levelMax()));
    return new ClusterLevels(levels.level(), levelMaxByNode);
  }

  /** Converts a session that rows are bound to. */
  public static RowSessionInfo session(RowSessionControl.SessionInfo session) {
    return new RowSessionInfo(
        session.sessionId(),
        session.principal(),
        Duration.ofMillis(session.leaseMs()),
        Duration.ofMillis(session.leftMs()),
        session.rows());
  }

  /** Converts the status that a node gives of itself. */
  public static NodeStatus status(ClusterControl.NodeStatus node) {
    return new NodeStatus(
        node.name(),
        node.replicas().stream()
            .map(
                copy ->
                    new ReplicaStatus(
                        copy.partition(),
                        role(copy.role()),
                        copy.epoch(),
                        copy.next(),
                        copy.end(),
                        copy.error()))
            .toList());
  }

  /** A node of a later version may name a role that this version does not know. */
  private static ReplicaStatus.Role role(String name) {
    return Arrays.stream(ReplicaStatus.Role.values())
        .filter(role -> role.name().equals(name))
        .findFirst()
        .orElse(ReplicaStatus.Role.UNKNOWN);
  }
}
