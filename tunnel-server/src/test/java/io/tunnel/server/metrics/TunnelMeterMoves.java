package io.tunnel.server.metrics;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.net.access.PrincipalFigures.QuotaUse;
import io.tunnel.server.net.access.Shares;
import io.tunnel.server.net.access.TestGate;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.SessionDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A move of each meter of tunnels, their channels, and principals. */
final class TunnelMeterMoves {

  private static final String TUNNEL = "{table=\"orders\",tunnel=\"sync\"}";
  private static final String CHANNEL = "{partition=\"1\",table=\"orders\",tunnel=\"sync\"}";

  private TunnelMeterMoves() {}

  /** What a channel may be in. */
  private record State(
      Optional<String> owner,
      boolean isPaused,
      Optional<String> error,
      Optional<Long> historyLeftMs,
      Optional<FailureControl.Retry> retry) {

    static final State IDLE =
        new State(
            Optional.empty(), false, Optional.empty(), Optional.of(60_000L), Optional.empty());
  }

  private static ChannelDescription channel(State state, long rows, long bytes, long ms) {
    return new ChannelDescription(
        "c1",
        1,
        ChannelStatus.OPEN,
        state.owner(),
        Optional.empty(),
        1,
        10,
        10,
        10 + rows,
        rows,
        bytes,
        ms,
        ChannelType.Stream,
        state.isPaused(),
        Optional.empty(),
        state.error(),
        List.of(),
        state.historyLeftMs(),
        Optional.empty(),
        state.retry());
  }

  private static MeterMove.Change tunnel(
      List<ChannelDescription> channels, int sessions, long skipped) {
    TunnelInfo info =
        new TunnelInfo("id", "sync", "orders", TunnelType.Stream, StreamStart.LATEST, 1);
    SessionDescription session = new SessionDescription("s", "tag", 1, 1, 1_000);
    return world ->
        world.meters.tunnels(
            List.of(
                TunnelSample.of(
                    new TunnelDescription(
                        info,
                        channels,
                        false,
                        Collections.nCopies(sessions, session),
                        new FailureControl.Skipped(skipped, List.of())))),
            100);
  }

  private static MeterMove.Change channel(State state) {
    return tunnel(List.of(channel(state, 0, 0, 0)), 0, 0);
  }

  /** The meters of a tunnel with one idle channel, which a move begins with. */
  private static Map<String, Double> idle() {
    Map<String, Double> idle = new HashMap<>();
    for (String name :
        List.of(
            "tunnel_sessions",
            "tunnel_channels_held",
            "tunnel_channels_stopped",
            "tunnel_channels_lost",
            "tunnel_channels_paused",
            "tunnel_channels_retrying",
            "tunnel_channels_retry_attempts",
            "tunnel_changes_skipped")) {
      idle.put(name + TUNNEL, 0.0);
    }
    for (String name : List.of("rows", "bytes", "seconds")) {
      idle.put("tunnel_channel_lag_" + name + CHANNEL, 0.0);
    }
    idle.put("tunnel_channels" + TUNNEL, 1.0);
    idle.put("tunnel_channel_history_left_seconds" + CHANNEL, 60.0);
    return idle;
  }

  private static MeterMove moved(
      String name, MeterMove.Change there, Map<String, Double> changed, Map<String, Double> back) {
    return MeterMove.of(name)
        .then(channel(State.IDLE), idle())
        .then(there, changed)
        .then(channel(State.IDLE), back);
  }

  private static MeterMove moved(String name, MeterMove.Change there, double value) {
    String whole = name + TUNNEL;
    return moved(name, there, MeterMove.values(whole, value), MeterMove.values(whole, 0));
  }

  private static MeterMove lagging(String name, long rows, long bytes, long ms, double value) {
    String whole = "tunnel_channel_lag_" + name + CHANNEL;
    return moved(
        name,
        tunnel(List.of(channel(State.IDLE, rows, bytes, ms)), 0, 0),
        MeterMove.values(whole, value),
        MeterMove.values(whole, 0));
  }

  private static State left(long ms) {
    return new State(Optional.empty(), false, Optional.empty(), Optional.of(ms), Optional.empty());
  }

  static List<MeterMove> ofTunnels() {
    ChannelDescription one = channel(State.IDLE, 0, 0, 0);
    Optional<Long> minute = Optional.of(60_000L);
    String history = "tunnel_channel_history_left_seconds" + CHANNEL;
    FailureControl.Retry retry = new FailureControl.Retry(Optional.empty(), 5, 1, 1, "no");
    return List.of(
        moved("tunnel_sessions", tunnel(List.of(one), 5, 0), 5),
        moved("tunnel_changes_skipped", tunnel(List.of(one), 0, 5), 5),
        moved(
            "tunnel_channels",
            tunnel(List.of(), 0, 0),
            MeterMove.values("tunnel_channels" + TUNNEL, 0),
            MeterMove.and(
                MeterMove.values("tunnel_channels" + TUNNEL, 1, history, 60),
                "tunnel_channel_lag_rows" + CHANNEL,
                0,
                "tunnel_channel_lag_bytes" + CHANNEL,
                0,
                "tunnel_channel_lag_seconds" + CHANNEL,
                0)),
        moved(
            "tunnel_channels_held",
            channel(new State(Optional.of("s"), false, Optional.empty(), minute, Optional.empty())),
            1),
        moved(
            "tunnel_channels_paused",
            channel(new State(Optional.empty(), true, Optional.empty(), minute, Optional.empty())),
            1),
        moved(
            "tunnel_channels_stopped",
            channel(
                new State(Optional.empty(), false, Optional.of("no"), minute, Optional.empty())),
            1),
        moved(
            "tunnel_channels_retrying",
            channel(
                new State(Optional.empty(), false, Optional.empty(), minute, Optional.of(retry))),
            MeterMove.values(
                "tunnel_channels_retrying" + TUNNEL,
                1,
                "tunnel_channels_retry_attempts" + TUNNEL,
                5),
            MeterMove.values(
                "tunnel_channels_retrying" + TUNNEL,
                0,
                "tunnel_channels_retry_attempts" + TUNNEL,
                0)),
        moved(
            "tunnel_channels_lost",
            channel(left(-1)),
            MeterMove.values("tunnel_channels_lost" + TUNNEL, 1, history, -1),
            MeterMove.values("tunnel_channels_lost" + TUNNEL, 0, history, 60)),
        moved(
            "tunnel_channel_history_left_seconds",
            channel(left(2_500)),
            MeterMove.values(history, 2.5),
            MeterMove.values(history, 60)),
        lagging("rows", 5, 0, 0, 5),
        lagging("bytes", 0, 5, 0, 5),
        lagging("seconds", 0, 0, 2_500, 2.5));
  }

  static List<MeterMove> ofPrincipals() {
    String ada = "{principal=\"ada\"}";
    String tables = "{limit=\"tables\",principal=\"ada\"}";
    return List.of(
        MeterMove.of("tunnel_principal_quota")
            .then(
                quota(new QuotaUse("ada", "tables", 5, 9)),
                MeterMove.values(
                    "tunnel_principal_quota_used" + tables,
                    5,
                    "tunnel_principal_quota_max" + tables,
                    9))
            .then(
                quota(new QuotaUse("ada", "tables", 2, 8)),
                MeterMove.values(
                    "tunnel_principal_quota_used" + tables,
                    2,
                    "tunnel_principal_quota_max" + tables,
                    8))
            .then(
                quota(new QuotaUse("ada", "tables", 3, 10)),
                MeterMove.values(
                    "tunnel_principal_quota_used" + tables,
                    3,
                    "tunnel_principal_quota_max" + tables,
                    10)),
        throttled(ada));
  }

  private static MeterMove.Change quota(QuotaUse use) {
    return world ->
        world.meters.principals(new Shares(new TestGate().gate, 1).figures(), List.of(use));
  }

  /** A principal with one request a second is refused once, and waits twice for a second. */
  private static MeterMove throttled(String ada) {
    String refusals = "tunnel_principal_refusals_total{code=\"BUSY\",principal=\"ada\"}";
    String slowed = "tunnel_principal_slowed_total" + ada;
    String seconds = "tunnel_principal_slowed_seconds_total" + ada;
    Limited limited = new Limited();
    return MeterMove.of("tunnel_principal_slowed")
        .then(limited::refused, MeterMove.values(refusals, 1, slowed, 0, seconds, 0))
        .then(limited::refused, MeterMove.values(refusals, 2))
        .then(limited::waits, MeterMove.values(slowed, 1, seconds, 1))
        .then(limited::waits, MeterMove.values(slowed, 2, seconds, 3));
  }

  /** A principal whose burst of one request is taken. */
  private static final class Limited {
    private TestGate at;
    private Shares shares;

    /** Begins anew in each world. */
    private void begin(MeteredWorld world) throws IOException {
      if (at == null || world != begun) {
        begun = world;
        at = new TestGate();
        shares = new Shares(at.gate, 1);
        Control unused =
            at.administration.setQuota(
                Json.encode(
                    new QuotaChange(
                        "ada", List.of(new QuotaLimit("requestsPerSecond", 1)), List.of())),
                at.caller("admin"));
        long none = shares.request(at.caller("ada"));
        if (none != 0) {
          throw new AssertionError("the burst waits for " + none);
        }
      }
    }

    private MeteredWorld begun;

    void refused(MeteredWorld world) throws IOException {
      begin(world);
      shares.refused(at.caller("ada"), ErrorCode.BUSY);
      world.meters.principals(shares.figures(), List.of());
    }

    void waits(MeteredWorld world) throws IOException {
      begin(world);
      var unused = shares.request(at.caller("ada"));
      world.meters.principals(shares.figures(), List.of());
    }
  }
}
