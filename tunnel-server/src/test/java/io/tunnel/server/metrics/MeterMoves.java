package io.tunnel.server.metrics;

import io.tunnel.model.ErrorCode;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.channel.watch.Watches;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.forward.ForwardMeter;
import io.tunnel.server.forward.Forwarder;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.partition.judge.Writers;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A move of each meter of a server: of a counter twice, of a gauge up and down, each value in its
 * unit.
 */
final class MeterMoves {

  private MeterMoves() {}

  private static Writers.Figures writers(int repeated, int forgotten, int dropped) {
    return new Writers.Figures(repeated, forgotten, dropped, 0, 0);
  }

  static List<MeterMove> ofWrites() {
    return List.of(
        MeterMove.of("tunnel_commit_seconds")
            .then(
                world -> world.meters.committed(0, 3, 700, 1_500_000_000),
                MeterMove.and(
                    MeterMove.timed("tunnel_commit_seconds", 1, 1.5, 1.5),
                    "tunnel_rows_written_total",
                    3,
                    "tunnel_bytes_written_total",
                    700))
            .then(
                world -> world.meters.committed(1, 1, 10, 500_000_000),
                MeterMove.values(
                    "tunnel_commit_seconds_count",
                    2,
                    "tunnel_commit_seconds_sum",
                    2,
                    "tunnel_rows_written_total",
                    4,
                    "tunnel_bytes_written_total",
                    710)),
        MeterMove.of("tunnel_fold_seconds")
            .then(
                world -> world.meters.folded(0, 250_000_000),
                MeterMove.timed("tunnel_fold_seconds", 1, 0.25, 0.25))
            .then(
                world -> world.meters.folded(0, 750_000_000),
                MeterMove.timed("tunnel_fold_seconds", 2, 1, 0.75)),
        MeterMove.of("tunnel_rows_rejected_total")
            .then(world -> world.meters.rejected(0, 5), 5)
            .then(world -> world.meters.rejected(1, 2), 7),
        MeterMove.of("tunnel_rows_expired_total")
            .then(world -> world.meters.expired(0, 5), 5)
            .then(world -> world.meters.expired(1, 2), 7),
        MeterMove.of("tunnel_rows_unbound_total")
            .then(world -> world.meters.unbound(0, 5), 5)
            .then(world -> world.meters.unbound(1, 2), 7),
        MeterMove.of("tunnel_changes_trimmed_total")
            .then(world -> world.meters.trimmed(0, 5, 0, 0), 5)
            .then(world -> world.meters.trimmed(1, 2, 0, 0), 7),
        MeterMove.of("tunnel_changes_lost_total")
            .then(world -> world.meters.lost(5), 5)
            .then(world -> world.meters.lost(2), 7),
        MeterMove.of("tunnel_log_segments_deleted_total")
            .then(world -> world.meters.trimmed(0, 0, 5, 0), 5)
            .then(world -> world.meters.trimmed(1, 0, 2, 0), 7),
        MeterMove.of("tunnel_log_bytes_deleted_total")
            .then(world -> world.meters.trimmed(0, 0, 0, 5), 5)
            .then(world -> world.meters.trimmed(1, 0, 0, 2), 7),
        MeterMove.of("tunnel_writes_repeated_total")
            .then(world -> world.meters.numbered(0, writers(5, 0, 0)), 5)
            .then(world -> world.meters.numbered(1, writers(2, 0, 0)), 7),
        MeterMove.of("tunnel_writers_forgotten_total")
            .then(world -> world.meters.numbered(0, writers(0, 5, 0)), 5)
            .then(world -> world.meters.numbered(1, writers(0, 2, 0)), 7),
        MeterMove.of("tunnel_writers_answers_dropped_total")
            .then(world -> world.meters.numbered(0, writers(0, 0, 5)), 5)
            .then(world -> world.meters.numbered(1, writers(0, 0, 2)), 7),
        MeterMove.of("tunnel_writers")
            .then(world -> world.meters.numbered(0, new Writers.Figures(0, 0, 0, 5, 0)), 5)
            .then(world -> world.meters.numbered(1, new Writers.Figures(0, 0, 0, 2, 0)), 7)
            .then(world -> world.meters.numbered(0, new Writers.Figures(0, 0, 0, 1, 0)), 3),
        MeterMove.of("tunnel_writers_answer_bytes")
            .then(world -> world.meters.numbered(0, new Writers.Figures(0, 0, 0, 0, 5)), 5)
            .then(world -> world.meters.numbered(1, new Writers.Figures(0, 0, 0, 0, 2)), 7)
            .then(world -> world.meters.numbered(0, new Writers.Figures(0, 0, 0, 0, 1)), 3));
  }

  static List<MeterMove> ofConnections() {
    List<MeterMove> moves = new ArrayList<>();
    moves.add(
        MeterMove.of("tunnel_connections")
            .then(world -> world.meters.connected(), 1)
            .then(world -> world.meters.connected(), 2)
            .then(world -> world.meters.disconnected(), 1)
            .then(world -> world.meters.disconnected(), 0));
    moves.add(
        MeterMove.of("tunnel_net_received_bytes_total")
            .then(world -> world.meters.received(5), 5)
            .then(world -> world.meters.received(2), 7));
    moves.add(
        MeterMove.of("tunnel_net_sent_bytes_total")
            .then(world -> world.meters.sent(5), 5)
            .then(world -> world.meters.sent(2), 7));
    moves.add(
        MeterMove.of("deliveries")
            .then(
                world -> world.meters.delivered(500, 3, MeteredWorld.NOW_MICROS - 1_000),
                MeterMove.values(
                    "tunnel_delivered_bytes_total",
                    500,
                    "tunnel_deliveries_total",
                    1,
                    "tunnel_delivered_rows_total",
                    3))
            .then(
                world -> world.meters.delivered(7, 0, 0),
                MeterMove.values(
                    "tunnel_delivered_bytes_total", 507, "tunnel_deliveries_total", 2)));
    for (ErrorCode code : ErrorCode.values()) {
      moves.add(
          MeterMove.of("tunnel_refusals_total{code=\"" + code + "\"}")
              .then(world -> world.meters.refused(code), 1)
              .then(world -> world.meters.refused(code), 2));
    }
    for (Farewell why : Farewell.values()) {
      moves.add(
          MeterMove.of("tunnel_net_closed_total{why=\"" + why + "\"}")
              .then(world -> world.meters.closed(why), 1)
              .then(world -> world.meters.closed(why), 2));
    }
    for (ForwardMeter.Outcome outcome : ForwardMeter.Outcome.values()) {
      String tag = "{outcome=\"" + outcome + "\"}";
      moves.add(
          MeterMove.of("tunnel_forward" + tag)
              .then(
                  world -> world.meters.forwarding().ended(outcome, 5, 700, 1_500_000_000),
                  MeterMove.values(
                      "tunnel_forward_seconds_count" + tag,
                      1,
                      "tunnel_forward_seconds_sum" + tag,
                      1.5,
                      "tunnel_forward_seconds_max" + tag,
                      1.5,
                      "tunnel_forward_request_bytes_total",
                      5,
                      "tunnel_forward_answer_bytes_total",
                      700)));
    }
    return moves;
  }

  static List<MeterMove> ofLocalServers() {
    return List.of(
        MeterMove.of("tunnel_catalog_syncs_total")
            .then(world -> world.catalogSyncs = 5, 5)
            .then(world -> world.catalogSyncs = 7, 7),
        MeterMove.shown(
            "tunnel_catalog_failed",
            world -> world.catalogCondition = DiskCondition.STORAGE_FAILED,
            1,
            world -> world.catalogCondition = DiskCondition.UP,
            0),
        MeterMove.shown(
            "tunnel_catalog_failed",
            world -> world.catalogCondition = DiskCondition.DISK_FULL,
            1,
            world -> world.catalogCondition = DiskCondition.UP,
            0),
        MeterMove.shown(
            "tunnel_catalog_stalled",
            world -> world.catalogCondition = DiskCondition.DISK_STALLED,
            1,
            world -> world.catalogCondition = DiskCondition.UP,
            0),
        MeterMove.shown(
            "tunnel_clock_off_seconds",
            world -> world.clockOffSeconds = 2.5,
            2.5,
            world -> world.clockOffSeconds = -3,
            -3),
        MeterMove.shown(
            "tunnel_expiry_lag_seconds",
            world -> world.expiryLagMicros = OptionalLong.of(2_500_000),
            2.5,
            world -> world.expiryLagMicros = OptionalLong.of(0),
            0),
        MeterMove.of("tunnel_expiry_lag_seconds")
            .then(world -> world.expiryLagMicros = OptionalLong.empty(), Double.NaN),
        MeterMove.shown(
            "tunnel_base_snapshots",
            world -> world.keptRows = 5,
            5,
            world -> world.keptRows = 1,
            1),
        MeterMove.shown(
            "tunnel_base_snapshots_refused_total",
            world -> world.refusedRows = 5,
            5,
            world -> world.refusedRows = 7,
            7),
        MeterMove.shown(
            "tunnel_row_sessions",
            world -> world.rowSessions = 5,
            5,
            world -> world.rowSessions = 1,
            1),
        MeterMove.shown(
            "tunnel_certificate_left_seconds",
            world -> world.certificateSeconds = 3.5,
            3.5,
            world -> world.certificateSeconds = -1,
            -1),
        MeterMove.shown(
            "tunnel_readings", world -> world.readings = 5, 5, world -> world.readings = 1, 1),
        MeterMove.of("tunnel_audit_lines_total")
            .then(world -> world.audit = new AuditTrail.Figures(5, 0, false), 5)
            .then(world -> world.audit = new AuditTrail.Figures(7, 0, false), 7),
        MeterMove.of("tunnel_audit_missing_total")
            .then(world -> world.audit = new AuditTrail.Figures(0, 5, false), 5)
            .then(world -> world.audit = new AuditTrail.Figures(0, 7, false), 7),
        MeterMove.shown(
            "tunnel_audit_failing",
            world -> world.audit = new AuditTrail.Figures(0, 0, true),
            1,
            world -> world.audit = new AuditTrail.Figures(0, 0, false),
            0));
  }

  private static MeterMove held(String name, NetServer.Held high) {
    return MeterMove.shown(
        name, world -> world.held = high, 5, world -> world.held = new NetServer.Held(0, 0, 0), 0);
  }

  private static MeterMove watching(String name, Watches.Figures high, Watches.Figures low) {
    return MeterMove.of(name)
        .then(world -> world.watches = high, 5)
        .then(world -> world.watches = low, name.endsWith("_total") ? 7 : 2);
  }

  static List<MeterMove> ofHeldMemory() {
    return List.of(
        held("tunnel_net_partial_bytes", new NetServer.Held(5, 0, 0)),
        held("tunnel_net_requests_bytes", new NetServer.Held(0, 5, 0)),
        held("tunnel_net_untaken_bytes", new NetServer.Held(0, 0, 5)),
        MeterMove.shown(
            "tunnel_forward_open",
            world -> world.forwarded = new Forwarder.Held(5, 0),
            5,
            world -> world.forwarded = new Forwarder.Held(1, 0),
            1),
        MeterMove.shown(
            "tunnel_forward_held_bytes",
            world -> world.forwarded = new Forwarder.Held(0, 5),
            5,
            world -> world.forwarded = new Forwarder.Held(0, 1),
            1),
        watching(
            "tunnel_watches",
            new Watches.Figures(5, 0, 0, 0, 0, 0),
            new Watches.Figures(2, 0, 0, 0, 0, 0)),
        watching(
            "tunnel_watches_behind",
            new Watches.Figures(0, 5, 0, 0, 0, 0),
            new Watches.Figures(0, 2, 0, 0, 0, 0)),
        watching(
            "tunnel_watches_terms_bytes",
            new Watches.Figures(0, 0, 5, 0, 0, 0),
            new Watches.Figures(0, 0, 2, 0, 0, 0)),
        watching(
            "tunnel_watches_buffered_bytes",
            new Watches.Figures(0, 0, 0, 5, 0, 0),
            new Watches.Figures(0, 0, 0, 2, 0, 0)),
        watching(
            "tunnel_watches_read_rows_total",
            new Watches.Figures(0, 0, 0, 0, 5, 0),
            new Watches.Figures(0, 0, 0, 0, 7, 0)),
        watching(
            "tunnel_watches_catch_up_rows_total",
            new Watches.Figures(0, 0, 0, 0, 0, 5),
            new Watches.Figures(0, 0, 0, 0, 0, 7)));
  }

  private static MeterMove.Change rations(
      long bytes, int waiting, double perSecond, double waitNanos, double normalNanos) {
    return world ->
        world.rations = new Rations.Figures(bytes, waiting, perSecond, waitNanos, normalNanos);
  }

  static List<MeterMove> ofRations() {
    return List.of(
        MeterMove.of("tunnel_catch_up_bytes_total")
            .then(rations(5, 0, 0, 0, 0), 5)
            .then(rations(7, 0, 0, 0, 0), 7),
        MeterMove.shown(
            "tunnel_catch_up_waiting", rations(0, 5, 0, 0, 0), 5, rations(0, 1, 0, 0, 0), 1),
        MeterMove.shown(
            "tunnel_catch_up_limit_bytes_per_second",
            rations(0, 0, Double.POSITIVE_INFINITY, 0, 0),
            Double.POSITIVE_INFINITY,
            rations(0, 0, 1_000, 0, 0),
            1_000),
        MeterMove.shown(
            "tunnel_write_wait_seconds",
            rations(0, 0, 0, 25e8, 0),
            2.5,
            rations(0, 0, 0, 5e8, 0),
            0.5),
        MeterMove.shown(
            "tunnel_write_wait_normal_seconds",
            rations(0, 0, 0, 0, 25e8),
            2.5,
            rations(0, 0, 0, 0, 5e8),
            0.5));
  }
}
