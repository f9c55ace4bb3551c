package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.StopReason;
import io.tunnel.core.TunnelCore;
import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.SessionDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.Retry;
import io.tunnel.wire.control.FailureControl.Skipped;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;

/**
 * A tunnel at one time, as the control thread knows it; {@link #describe} adds positions of the
 * log.
 */
public final class TunnelView {

  /** The history left of a channel that has lost changes. */
  private static final long LOST = -1;

  private final TunnelInfo info;

  /** Nodes of a cluster and their brokers may differ by so much. */
  private static final long FUTURE_MICROS_MIN = TimeUnit.SECONDS.toMicros(10);

  private final long retentionMs;
  private final boolean isPaused;
  private final List<TunnelCore.View> channels;
  private final Known known;
  private final List<TunnelCore.SessionView> sessions;

  /** The state of a tunnel's channels outside its state machine. */
  record Known(
      Map<ChannelKey, Long> delivered,
      Map<ChannelKey, FailedChange> failedAt,
      Map<ChannelKey, Retry> retries,
      Skipped skipped) {
    Known {
      delivered = Map.copyOf(delivered);
      failedAt = Map.copyOf(failedAt);
      retries = Map.copyOf(retries);
    }

    /** The state of the channels of {@code run} now. */
    static Known of(TunnelCatalog catalog, TunnelRun run, long nowNanos) {
      Map<ChannelKey, Long> delivered = new HashMap<>();
      Map<ChannelKey, FailedChange> failedAt = new HashMap<>();
      Map<ChannelKey, Retry> retries = new HashMap<>();
      run.holds()
          .forEach(
              (key, hold) -> {
                delivered.put(key, hold.delivered());
                run.retries().of(hold, nowNanos).ifPresent(retry -> retries.put(key, retry));
              });
      catalog
          .channels(run.info())
          .forEach(
              (key, state) ->
                  state.stop().flatMap(StopReason::at).ifPresent(at -> failedAt.put(key, at)));
      return new Known(delivered, failedAt, retries, catalog.skipped(run.info().tunnelId()));
    }
  }

  TunnelView(
      TunnelInfo info,
      long retentionMs,
      boolean isPaused,
      List<TunnelCore.View> channels,
      Known known,
      List<TunnelCore.SessionView> sessions) {
    this.info = info;
    this.retentionMs = retentionMs;
    this.isPaused = isPaused;
    this.channels = List.copyOf(channels);
    this.known = known;
    this.sessions = List.copyOf(sessions);
  }

  /** By partition, the positions whose lags {@link #describe} tells. */
  public Map<Integer, Set<Long>> lagging() {
    Map<Integer, Set<Long>> lagging = new HashMap<>();
    for (TunnelCore.View channel : channels) {
      if (channel.key().type() == ChannelType.Stream) {
        lagging.put(channel.key().partition(), Set.of(channel.checkpointed()));
      }
    }
    return lagging;
  }

  /**
   * Adds the positions of the log, and so the lag of the channels. For any thread.
   *
   * @param rows the approximate number of rows of a partition, or {@link LogFigures#UNKNOWN}
   */
  public TunnelDescription describe(LogFigures log, IntToLongFunction rows, long nowMicros)
      throws IOException {
    List<ChannelDescription> described = new ArrayList<>();
    for (TunnelCore.View channel : channels) {
      described.add(
          channel.key().type() == ChannelType.BaseData
              ? describeBase(channel, rows)
              : describeStream(channel, log, nowMicros));
    }
    List<SessionDescription> open =
        sessions.stream()
            .map(
                session ->
                    new SessionDescription(
                        session.sessionId(),
                        session.clientTag(),
                        session.channels(),
                        session.channelsMax(),
                        TimeUnit.NANOSECONDS.toMillis(session.leaseLeftNanos())))
            .toList();
    return new TunnelDescription(info, described, isPaused, open, known.skipped());
  }

  /** The row count is exact when the channel's end is known, and an estimate before that. */
  private ChannelDescription describeBase(TunnelCore.View channel, IntToLongFunction rowsOf) {
    long rows = channel.end().orElseGet(() -> rowsOf.applyAsLong(channel.key().partition()));
    long ahead = rows == LogFigures.UNKNOWN ? rows : Math.max(0, rows - channel.checkpointed());
    return describe(channel, Math.max(rows, delivered(channel)), ahead, 0, 0, Optional.empty());
  }

  private long delivered(TunnelCore.View channel) {
    return Math.max(known.delivered().getOrDefault(channel.key(), 0L), channel.checkpointed());
  }

  private ChannelDescription describeStream(TunnelCore.View channel, LogFigures log, long nowMicros)
      throws IOException {
    int partition = channel.key().partition();
    long checkpointed = channel.checkpointed();
    boolean isLost = log.isLost(partition, checkpointed, channel.end());
    if (log.committed(partition) == LogFigures.UNKNOWN) {
      long unknown = LogFigures.UNKNOWN;
      // Lost changes do not come back, so an older answer of the log is still true.
      Optional<Long> left = isLost ? Optional.of(LOST) : Optional.empty();
      return describe(channel, delivered(channel), unknown, unknown, unknown, left);
    }
    long committed = Math.max(log.committed(partition), delivered(channel));
    long last = Math.min(committed, channel.end().orElse(Long.MAX_VALUE));
    if (last <= checkpointed) {
      return describe(channel, committed, 0, 0, 0, Optional.empty());
    }
    OptionalLong sinceKept = sinceMs(log.commitMicrosAfter(partition, checkpointed), nowMicros);
    OptionalLong waitedMs = isLost ? lostMs(partition, log, sinceKept, nowMicros) : sinceKept;
    long bytes = log.bytesAfter(partition, checkpointed);
    return describe(
        channel,
        committed,
        last - checkpointed,
        isLost && bytes == 0 ? 1 : bytes, // An alarm on bytes must not end with the loss, either.
        waitedMs.orElse(LogFigures.UNKNOWN),
        isLost ? Optional.of(LOST) : historyLeft(waitedMs));
  }

  /**
   * The time that the oldest lost change has waited at least: retention removes the oldest changes
   * first. Never 0: an alarm on the lag must not end with the loss.
   *
   * @param sinceKept the time that the oldest kept change has waited, if the time is known
   */
  private OptionalLong lostMs(
      int partition, LogFigures log, OptionalLong sinceKept, long nowMicros) {
    OptionalLong sinceGivenUp =
        sinceMs(log.givenUpMicros(partition).orElse(LogFigures.UNKNOWN), nowMicros);
    if (sinceGivenUp.isEmpty() && sinceKept.isEmpty() && retentionMs == 0) {
      return OptionalLong.empty();
    }
    long leastMs = Math.max(sinceGivenUp.orElse(retentionMs), sinceKept.orElse(0));
    return OptionalLong.of(Math.max(1, leastMs));
  }

  /**
   * Milliseconds since a commit; 0 since none, and nothing when the commit time is unknown, or when
   * a clock that had jumped has dated the change into the future.
   */
  private static OptionalLong sinceMs(long commitMicros, long nowMicros) {
    if (commitMicros == LogFigures.UNKNOWN || commitMicros - nowMicros > FUTURE_MICROS_MIN) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        commitMicros == 0
            ? 0
            : Math.max(0, TimeUnit.MICROSECONDS.toMillis(nowMicros - commitMicros)));
  }

  /**
   * 0 for a change that retention may remove at any time: retention removes complete segments, so
   * some changes stay longer.
   */
  private Optional<Long> historyLeft(OptionalLong waitedMs) {
    return retentionMs == 0 || waitedMs.isEmpty()
        ? Optional.empty()
        : Optional.of(Math.max(0, retentionMs - waitedMs.getAsLong()));
  }

  private ChannelDescription describe(
      TunnelCore.View channel,
      long committed,
      long lagRows,
      long lagBytes,
      long lagMs,
      Optional<Long> historyLeftMs) {
    return new ChannelDescription(
        channel.key().channelId(info.tunnelId()),
        channel.key().partition(),
        channel.status(),
        channel.owner(),
        channel.clientTag(),
        channel.epoch(),
        channel.checkpointed(),
        delivered(channel),
        committed,
        lagRows,
        lagBytes,
        lagMs,
        channel.key().type(),
        channel.isPaused(),
        channel.end(),
        channel.error(),
        channel.waitsFor().stream().map(key -> key.channelId(info.tunnelId())).toList(),
        historyLeftMs,
        Optional.ofNullable(known.failedAt().get(channel.key())),
        Optional.ofNullable(known.retries().get(channel.key())));
  }
}
