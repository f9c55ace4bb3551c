package io.tunnel.server.metrics;

import io.tunnel.server.metrics.TunnelSample.Channel;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * For each tunnel that this server coordinates: its sessions, and the states and lags of its
 * channels. These figures are no meters of the registry: with 10,000 tunnels a page has 130,000 of
 * them, and for each one the registry would make a meter, a sample and a copy of the text. This
 * class writes Prometheus' text format from the samples, piece by piece.
 */
final class TunnelMeters {

  /** Characters after which a piece of text ends behind a tunnel. */
  private static final int PIECE_CHARS = 32 << 10;

  private static final List<Family> FAMILIES =
      List.of(
          ofTunnel("tunnel_sessions", "Sessions open", TunnelSample::sessions),
          ofTunnel("tunnel_channels", "Channels", TunnelSample::channels),
          ofTunnel("tunnel_channels_held", "Channels that a session holds", TunnelSample::held),
          ofTunnel(
              "tunnel_channels_stopped",
              "Channels that wait for an operator",
              TunnelSample::stopped),
          ofTunnel(
              "tunnel_channels_lost",
              "Channels that lost changes to retention before they were processed",
              TunnelSample::lost),
          ofTunnel(
              "tunnel_channels_paused", "Channels that an operator paused", TunnelSample::paused),
          ofTunnel(
              "tunnel_channels_retrying",
              "Channels whose processor failed and is retried",
              TunnelSample::retrying),
          ofTunnel(
              "tunnel_channels_retry_attempts",
              "Failed attempts of the channels that are retried now",
              TunnelSample::attempts),
          ofTunnel(
              "tunnel_changes_skipped", "Changes that workers left out", TunnelSample::skipped),
          ofChannel("tunnel_channel_lag_rows", "Changes not checkpointed", Channel::lagRows),
          ofChannel("tunnel_channel_lag_bytes", "Bytes not checkpointed", Channel::lagBytes),
          ofChannel(
              "tunnel_channel_lag_seconds",
              "Age of the oldest change not checkpointed",
              Channel::lagSeconds),
          ofSomeChannels(
              "tunnel_channel_history_left_seconds",
              "Until the oldest change not checkpointed is no longer kept; -1 when it is lost",
              Channel::leftSeconds));

  /** The newest samples; the thread of pages replaces the list. */
  private volatile List<TunnelSample> samples = List.of();

  /** Writes the lines of a tunnel. */
  @FunctionalInterface
  private interface Lines {
    void write(TunnelSample tunnel, StringBuilder to);
  }

  /**
   * All lines of one name.
   *
   * @param hasLines whether a tunnel has a line
   */
  private record Family(String name, String help, Predicate<TunnelSample> hasLines, Lines lines) {}

  private static Family ofTunnel(String name, String help, ToLongFunction<TunnelSample> figure) {
    return new Family(
        name,
        help,
        tunnel -> true,
        (tunnel, to) -> {
          to.append(name).append('{');
          label(tunnel, to);
          value((double) figure.applyAsLong(tunnel), to);
        });
  }

  private static Family ofChannel(String name, String help, ToDoubleFunction<Channel> figure) {
    return ofSomeChannels(name, help, channel -> OptionalDouble.of(figure.applyAsDouble(channel)));
  }

  private static Family ofSomeChannels(
      String name, String help, Function<Channel, OptionalDouble> figure) {
    return new Family(
        name,
        help,
        tunnel -> tunnel.streams().stream().anyMatch(one -> figure.apply(one).isPresent()),
        (tunnel, to) -> {
          for (Channel channel : tunnel.streams()) {
            OptionalDouble value = figure.apply(channel);
            if (value.isPresent()) {
              to.append(name).append("{partition=\"").append(channel.partition()).append("\",");
              label(tunnel, to);
              value(value.getAsDouble(), to);
            }
          }
        });
  }

  private static void label(TunnelSample tunnel, StringBuilder to) {
    to.append("table=\"");
    escape(tunnel.table(), to);
    to.append("\",tunnel=\"");
    escape(tunnel.tunnel(), to);
    to.append("\"} ");
  }

  private static void escape(String text, StringBuilder to) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\\' -> to.append("\\\\");
        case '"' -> to.append("\\\"");
        case '\n' -> to.append("\\n");
        default -> to.append(c);
      }
    }
  }

  /** Figures of tunnels are finite, or NaN. */
  private static void value(double value, StringBuilder to) {
    to.append(value).append('\n');
  }

  /**
   * Replaces the figures of all tunnels.
   *
   * @param channelsMax channels of tunnels with figures of their own
   */
  void now(List<TunnelSample> all, int channelsMax) {
    samples = TunnelSample.bounded(all, channelsMax);
  }

  /** The figures in Prometheus' text format, in pieces; each is valid until the next is taken. */
  Iterator<CharSequence> text() {
    return new Text(samples);
  }

  private static final class Text implements Iterator<CharSequence> {

    private final List<TunnelSample> tunnels;

    /** Names without a line are not on the page. */
    private final List<Family> families;

    private final StringBuilder piece = new StringBuilder();
    private int family;
    private int tunnel;

    Text(List<TunnelSample> tunnels) {
      this.tunnels = tunnels;
      this.families =
          FAMILIES.stream().filter(one -> tunnels.stream().anyMatch(one.hasLines())).toList();
    }

    @Override
    public boolean hasNext() {
      return family < families.size();
    }

    @Override
    public CharSequence next() {
      if (!hasNext()) {
        throw new NoSuchElementException("all tunnels are written");
      }
      Family now = families.get(family);
      piece.setLength(0);
      if (tunnel == 0) {
        piece.append("# HELP ").append(now.name()).append(' ').append(now.help()).append('\n');
        piece.append("# TYPE ").append(now.name()).append(" gauge\n");
      }
      while (tunnel < tunnels.size() && piece.length() < PIECE_CHARS) {
        now.lines().write(tunnels.get(tunnel), piece);
        tunnel++;
      }
      if (tunnel == tunnels.size()) {
        family++;
        tunnel = 0;
      }
      return piece;
    }
  }
}
