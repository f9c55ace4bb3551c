package io.tunnel.server.metrics;

import io.tunnel.model.ChannelType;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.DoubleStream;

/**
 * The figures of a tunnel on a page of metrics. They take a tenth of the memory of a description,
 * so a page can hold the samples of all tunnels.
 *
 * @param held channels that a session holds
 * @param stopped channels that wait for an operator
 * @param lost channels that lost changes to retention
 * @param attempts failed attempts of the channels that are retried now
 * @param skipped changes that workers left out
 * @param streams the channels that deliver changes
 */
public record TunnelSample(
    String table,
    String tunnel,
    long sessions,
    long channels,
    long held,
    long stopped,
    long lost,
    long paused,
    long retrying,
    long attempts,
    long skipped,
    List<Channel> streams) {

  /** Stands for table, tunnel and partition of figures that tunnels share. */
  static final String ALL_OTHERS = "all others";

  private static final double MS_PER_SECOND = 1e3;

  /** Copies the list. */
  public TunnelSample {
    streams = List.copyOf(streams);
  }

  /**
   * The figures of a channel that delivers changes; NaN for a figure that the server cannot know,
   * so that sums ignore the figure.
   *
   * @param lagSeconds age of the oldest change that is not checkpointed
   * @param leftSeconds until that change is no longer kept; -1 when the change is lost; empty
   *     without such a change, and when the change is kept for ever
   */
  public record Channel(
      String partition,
      double lagRows,
      double lagBytes,
      double lagSeconds,
      OptionalDouble leftSeconds) {

    static Channel of(ChannelDescription channel) {
      return new Channel(
          Integer.toString(channel.partition()),
          known(channel.lagRows()),
          known(channel.lagBytes()),
          known(channel.lagMs()) / MS_PER_SECOND,
          channel
              .historyLeftMs()
              .map(ms -> OptionalDouble.of(ms < 0 ? -1 : ms / MS_PER_SECOND))
              .orElse(OptionalDouble.empty()));
    }
  }

  private static double known(long figure) {
    return figure == LogFigures.UNKNOWN ? Double.NaN : figure;
  }

  /** The figures of a tunnel. In one loop: streams of ten thousand tunnels are most of a page. */
  public static TunnelSample of(TunnelDescription tunnel) {
    long held = 0;
    long stopped = 0;
    long lost = 0;
    long paused = 0;
    long retrying = 0;
    long attempts = 0;
    List<Channel> streams = new ArrayList<>(tunnel.channels().size());
    for (ChannelDescription channel : tunnel.channels()) {
      held += channel.owner().isPresent() ? 1 : 0;
      stopped += channel.error().isPresent() ? 1 : 0;
      lost += channel.historyLeftMs().isPresent() && channel.historyLeftMs().get() < 0 ? 1 : 0;
      paused += channel.isPaused() ? 1 : 0;
      retrying += channel.retry().isPresent() ? 1 : 0;
      attempts += channel.retry().isPresent() ? channel.retry().get().attempts() : 0;
      if (channel.type() == ChannelType.Stream) {
        streams.add(Channel.of(channel));
      }
    }
    return new TunnelSample(
        tunnel.info().table(),
        tunnel.info().tunnel(),
        tunnel.sessions().size(),
        tunnel.channels().size(),
        held,
        stopped,
        lost,
        paused,
        retrying,
        attempts,
        tunnel.skipped().count(),
        streams);
  }

  /**
   * In order of table and tunnel, the first tunnels whose channels together are {@code channelsMax}
   * at most, and one sample for all other tunnels, if there are any.
   */
  static List<TunnelSample> bounded(List<TunnelSample> all, int channelsMax) {
    List<TunnelSample> sorted = new ArrayList<>(all);
    sorted.sort(Comparator.comparing(TunnelSample::table).thenComparing(TunnelSample::tunnel));
    int own = 0;
    for (long channels = 0; own < sorted.size(); own++) {
      channels += sorted.get(own).channels();
      if (channels > channelsMax) {
        break;
      }
    }
    List<TunnelSample> others = sorted.subList(own, sorted.size());
    if (!others.isEmpty()) {
      TunnelSample together = together(others);
      others.clear();
      sorted.add(together);
    }
    return List.copyOf(sorted);
  }

  /**
   * The sums over some tunnels, and the longest lag. History that is left has no sum: the least of
   * it and the longest lag may be of different tables.
   */
  private static TunnelSample together(List<TunnelSample> some) {
    List<Channel> streams = some.stream().flatMap(one -> one.streams().stream()).toList();
    return new TunnelSample(
        ALL_OTHERS,
        ALL_OTHERS,
        sum(some, TunnelSample::sessions),
        sum(some, TunnelSample::channels),
        sum(some, TunnelSample::held),
        sum(some, TunnelSample::stopped),
        sum(some, TunnelSample::lost),
        sum(some, TunnelSample::paused),
        sum(some, TunnelSample::retrying),
        sum(some, TunnelSample::attempts),
        sum(some, TunnelSample::skipped),
        streams.isEmpty()
            ? List.of()
            : List.of(
                new Channel(
                    ALL_OTHERS,
                    sumOfKnown(streams, Channel::lagRows),
                    sumOfKnown(streams, Channel::lagBytes),
                    known(streams, Channel::lagSeconds).max().orElse(Double.NaN),
                    OptionalDouble.empty())));
  }

  private static long sum(List<TunnelSample> some, ToLongFunction<TunnelSample> figure) {
    return some.stream().mapToLong(figure).sum();
  }

  /** NaN where no figure is known. */
  private static double sumOfKnown(List<Channel> channels, ToDoubleFunction<Channel> figure) {
    return known(channels, figure).reduce(Double::sum).orElse(Double.NaN);
  }

  private static DoubleStream known(List<Channel> channels, ToDoubleFunction<Channel> figure) {
    return channels.stream().mapToDouble(figure).filter(one -> !Double.isNaN(one));
  }
}
