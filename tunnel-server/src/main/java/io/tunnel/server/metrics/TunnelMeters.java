package io.tunnel.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** For each tunnel that this server coordinates: its sessions, and the states of its channels. */
final class TunnelMeters {

  private final Map<MultiGauge, ToLongFunction<TunnelDescription>> gauges = new LinkedHashMap<>();
  private final MeterRegistry registry;

  TunnelMeters(MeterRegistry registry) {
    this.registry = registry;
    add("tunnel.sessions", "Sessions open", tunnel -> tunnel.sessions().size());
    add("tunnel.channels", "Channels", tunnel -> tunnel.channels().size());
    channels("tunnel.channels.held", "Channels that a session holds", c -> c.owner().isPresent());
    channels(
        "tunnel.channels.stopped",
        "Channels that wait for an operator",
        channel -> channel.error().isPresent());
    channels(
        "tunnel.channels.lost",
        "Channels that lost changes to retention before they were processed",
        channel -> channel.historyLeftMs().filter(ms -> ms < 0).isPresent());
    channels(
        "tunnel.channels.paused", "Channels that an operator paused", ChannelDescription::isPaused);
    channels(
        "tunnel.channels.retrying",
        "Channels whose processor failed and is retried",
        channel -> channel.retry().isPresent());
    add(
        "tunnel.channels.retry.attempts",
        "Failed attempts of the channels that are retried now",
        tunnel ->
            tunnel.channels().stream()
                .flatMap(channel -> channel.retry().stream())
                .mapToLong(retry -> retry.attempts())
                .sum());
    add(
        "tunnel.changes.skipped",
        "Changes that workers left out",
        tunnel -> tunnel.skipped().count());
  }

  private void add(String name, String description, ToLongFunction<TunnelDescription> figure) {
    gauges.put(MultiGauge.builder(name).description(description).register(registry), figure);
  }

  private void channels(String name, String description, Predicate<ChannelDescription> counted) {
    add(name, description, tunnel -> tunnel.channels().stream().filter(counted).count());
  }

  /** Updates the figures of all tunnels. */
  void now(List<TunnelDescription> tunnels) {
    gauges.forEach(
        (gauge, figure) -> {
          List<MultiGauge.Row<?>> rows = new ArrayList<>();
          for (TunnelDescription tunnel : tunnels) {
            Tags tags = Tags.of("table", tunnel.info().table(), "tunnel", tunnel.info().tunnel());
            rows.add(MultiGauge.Row.of(tags, (double) figure.applyAsLong(tunnel)));
          }
          gauge.register(rows, true);
        });
  }
}
