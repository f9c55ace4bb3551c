package io.tunnel.server.console;

import com.google.gson.JsonObject;
import io.tunnel.model.ChannelType;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.control.ClusterControl.TunnelLag;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A tunnel in figures.
 *
 * @param lagSeconds age of the oldest change that is not checkpointed; NaN if it is not known
 * @param lagChanges changes that are not checkpointed, of all stream channels, as in the meters;
 *     {@link LogFigures#UNKNOWN} if those of a stream channel are unknown. Base channels have rows,
 *     whose number a node without a replica does not know, and count nothing
 * @param stopped channels that wait for an operator
 * @param lost channels that lost changes to retention
 * @param historyLeftSeconds until retention may delete a change that is not checkpointed; 0 when
 *     one is lost; NaN without such a change
 */
record TunnelFigures(
    String table,
    String tunnel,
    double lagSeconds,
    long lagChanges,
    int channels,
    long stopped,
    long lost,
    int sessions,
    double historyLeftSeconds) {

  private static final double MS_PER_SECOND = 1_000;

  /** Tunnels that lost changes come first, then stopped tunnels, then the largest lag. */
  static final Comparator<TunnelFigures> WORST_FIRST =
      Comparator.comparing((TunnelFigures one) -> one.lost() > 0)
          .thenComparing(one -> one.stopped() > 0)
          .thenComparing(one -> Double.isNaN(one.lagSeconds()) ? 0 : one.lagSeconds())
          .thenComparing(TunnelFigures::lagChanges)
          .reversed()
          .thenComparing(TunnelFigures::table)
          .thenComparing(TunnelFigures::tunnel);

  /** The figures of a tunnel. */
  static TunnelFigures of(TunnelDescription tunnel) {
    List<ChannelDescription> streams =
        tunnel.channels().stream().filter(one -> one.type() == ChannelType.Stream).toList();
    OptionalDouble lagMs =
        streams.stream()
            .filter(one -> one.lagMs() >= 0)
            .mapToDouble(ChannelDescription::lagMs)
            .max();
    boolean isUnknown = streams.stream().anyMatch(one -> one.lagRows() == LogFigures.UNKNOWN);
    OptionalDouble leftMs =
        streams.stream()
            .flatMap(one -> one.historyLeftMs().stream())
            .mapToDouble(left -> (double) Math.max(left, 0))
            .min();
    return new TunnelFigures(
        tunnel.info().table(),
        tunnel.info().tunnel(),
        lagMs.orElse(Double.NaN) / MS_PER_SECOND,
        isUnknown
            ? LogFigures.UNKNOWN
            : streams.stream().mapToLong(ChannelDescription::lagRows).sum(),
        tunnel.channels().size(),
        tunnel.channels().stream().filter(one -> one.error().isPresent()).count(),
        streams.stream().filter(one -> one.historyLeftMs().orElse(0L) < 0).count(),
        tunnel.sessions().size(),
        leftMs.orElse(Double.NaN) / MS_PER_SECOND);
  }

  /** The figures of a tunnel that another node coordinates. */
  static TunnelFigures of(TunnelLag lag) {
    return new TunnelFigures(
        lag.table(),
        lag.tunnel(),
        lag.lagSeconds().orElse(Double.NaN),
        lag.lagChanges(),
        lag.channels(),
        lag.stopped(),
        lag.lost(),
        lag.sessions(),
        lag.historyLeftSeconds().orElse(Double.NaN));
  }

  /** These figures for another node. */
  TunnelLag toLag() {
    return new TunnelLag(
        table,
        tunnel,
        Optional.of(lagSeconds).filter(Double::isFinite),
        lagChanges,
        channels,
        stopped,
        lost,
        sessions,
        Optional.of(historyLeftSeconds).filter(Double::isFinite));
  }

  /** One entry of a snapshot. */
  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("table", table);
    json.addProperty("tunnel", tunnel);
    Snapshots.add(json, "lagSeconds", lagSeconds);
    json.addProperty("lagChanges", lagChanges);
    json.addProperty("channels", channels);
    json.addProperty("stopped", stopped);
    json.addProperty("lost", lost);
    json.addProperty("sessions", sessions);
    Snapshots.add(json, "historyLeftSeconds", historyLeftSeconds);
    return json;
  }
}
