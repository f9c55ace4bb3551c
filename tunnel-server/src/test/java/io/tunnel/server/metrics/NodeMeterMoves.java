package io.tunnel.server.metrics;

import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.ReplicaFigures;
import io.tunnel.server.replica.SnapshotFigures;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.util.ArrayList;
import java.util.List;

/** A move of each meter of a node of a cluster. */
final class NodeMeterMoves {

  private NodeMeterMoves() {}

  /** A figure of a node's place in its cluster, by its place among them. */
  private static MeterMove.Change standing(int figure, int value) {
    int[] of = new int[12];
    of[figure] = value;
    return world ->
        world.standing =
            new NodeMeters.Standing(
                of[0], of[1], of[2], of[3], of[4] > 0, of[5] > 0, of[6], of[7], of[8], of[9],
                of[10], of[11]);
  }

  private static MeterMove standing(String name, int figure) {
    boolean isFact = figure == 4 || figure == 5;
    boolean isCounter = name.endsWith("_total");
    return MeterMove.of(name)
        .then(standing(figure, 5), isFact ? 1 : 5)
        .then(standing(figure, isCounter ? 7 : 0), isCounter ? 7 : 0);
  }

  static List<MeterMove> ofNodes() {
    String lag = "tunnel_replica_lag{partition=\"3\",role=\"LEADING\"}";
    return List.of(
        standing("tunnel_cluster_nodes", 0),
        standing("tunnel_cluster_generation", 1),
        standing("tunnel_cluster_partitions", 2),
        standing("tunnel_node_groups", 3),
        standing("tunnel_node_catalog", 4),
        standing("tunnel_node_draining", 5),
        standing("tunnel_node_attached", 6),
        standing("tunnel_node_placements_total", 7),
        standing("tunnel_node_losses_total", 8),
        standing("tunnel_node_checkpoints_taken_back_total", 9),
        standing("tunnel_cluster_level", 10),
        standing("tunnel_node_level_max", 11),
        MeterMove.of(lag)
            .then(world -> world.node.lags(List.of(new ReplicaStatus(3, "LEADING", 1, 10, 15))), 5)
            .then(world -> world.node.lags(List.of(new ReplicaStatus(3, "LEADING", 1, 15, 15))), 0)
            .then(
                world ->
                    world.node.lags(
                        List.of(new ReplicaStatus(3, "LEADING", 1, 15, ReplicaStatus.UNKNOWN))),
                Double.NaN));
  }

  /** A figure of a node's replicas, by its place among them. */
  private static MeterMove.Change replicas(int figure, int value) {
    int[] of = new int[13];
    of[figure] = value;
    return world ->
        world.replicas =
            new ReplicaFigures(
                of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9], of[10],
                of[11], of[12]);
  }

  private static MeterMove replicas(String name, int figure) {
    boolean isCounter = name.endsWith("_total");
    return MeterMove.of(name)
        .then(replicas(figure, 5), 5)
        .then(replicas(figure, isCounter ? 7 : 1), isCounter ? 7 : 1);
  }

  /** A figure of a node's snapshots, by its place among them. */
  private static MeterMove.Change snapshots(int figure, int value) {
    int[] of = new int[10];
    of[figure] = value;
    return world ->
        world.snapshots =
            new SnapshotFigures(
                of[0], of[1], of[2], of[3], of[4], of[5], of[6], of[7], of[8], of[9] > 0);
  }

  static List<MeterMove> ofSnapshots() {
    List<String> names =
        List.of(
            "tunnel_snapshot_taken_total",
            "tunnel_snapshot_bytes_total",
            "tunnel_snapshot_failures_total",
            "tunnel_snapshot_verified_total",
            "tunnel_snapshot_damaged_total",
            "tunnel_shared_log_trims_total",
            "tunnel_shared_log_trim_failures_total",
            "tunnel_snapshot_age_ms",
            "tunnel_snapshot_log_bytes");
    List<MeterMove> moves = new ArrayList<>();
    for (int figure = 0; figure < names.size(); figure++) {
      int last = names.get(figure).endsWith("_total") ? 7 : 1;
      moves.add(
          MeterMove.of(names.get(figure))
              .then(snapshots(figure, 5), 5)
              .then(snapshots(figure, last), last));
    }
    moves.add(
        MeterMove.of("tunnel_snapshot_outrun").then(snapshots(9, 1), 1).then(snapshots(9, 0), 0));
    return moves;
  }

  private static String name(Incident what) {
    return switch (what) {
      case CLAIMED -> "tunnel_replica_claims_total";
      case LED -> "tunnel_replica_leads_total";
      case FENCED -> "tunnel_replica_fenced_total";
      case APPEND_FAILED -> "tunnel_replica_append_failures_total";
      case READ_TOO_OLD -> "tunnel_replica_old_reads_total";
      case BEGUN_ANEW -> "tunnel_replica_restarts_total";
    };
  }

  static List<MeterMove> ofReplicas() {
    List<MeterMove> moves = new ArrayList<>();
    List<String> names =
        List.of(
            "tunnel_node_replicas",
            "tunnel_node_leads",
            "tunnel_node_replicas_behind",
            "tunnel_node_replicas_unread",
            "tunnel_node_read_waiting_bytes",
            "tunnel_node_write_waiting_bytes",
            "tunnel_log_bytes",
            "tunnel_shard_failed",
            "tunnel_disk_full",
            "tunnel_disk_stalled",
            "tunnel_node_history_reads_total",
            "tunnel_node_history_bytes_total",
            "tunnel_node_history_held_bytes");
    for (int figure = 0; figure < names.size(); figure++) {
      moves.add(replicas(names.get(figure), figure));
    }
    moves.add(
        MeterMove.shown(
            "tunnel_disk_free_bytes",
            world -> world.freeBytes = 5,
            5,
            world -> world.freeBytes = 1,
            1));
    for (Incident what : Incident.values()) {
      moves.add(
          MeterMove.of(name(what))
              .then(world -> world.incidents.put(what, 5L), 5)
              .then(world -> world.incidents.put(what, 7L), 7));
    }
    return moves;
  }
}
