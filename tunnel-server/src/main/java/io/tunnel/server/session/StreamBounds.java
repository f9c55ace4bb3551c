package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.LogBounds.Look;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The positions and times at which a tunnel's stream channels may continue, by the bounds of their
 * logs.
 */
final class StreamBounds {

  private final Optional<Long> endMs;
  private final Map<Integer, Look> lookByPartition;
  private final long nowMicros;

  /**
   * The bounds at {@code nowMicros}.
   *
   * @param endMs when the tunnel ends; empty without an end
   */
  StreamBounds(Optional<Long> endMs, Map<Integer, Look> lookByPartition, long nowMicros) {
    this.endMs = endMs;
    this.lookByPartition = Map.copyOf(lookByPartition);
    this.nowMicros = nowMicros;
  }

  /** The position before the oldest kept change. */
  long first(ChannelKey key) {
    // An empty log that begins at 0 has no position before it.
    return Math.max(0, look(key).bounds().first() - 1);
  }

  private Look look(ChannelKey key) {
    return lookByPartition.get(key.partition());
  }

  /** The last committed position. */
  long last(ChannelKey key) {
    return look(key).bounds().last();
  }

  /** The last position that is committed and belongs to the channel. */
  long last(ChannelKey key, ChannelState state) {
    long committed = last(key);
    if (state.end().isPresent()) {
      return Math.min(committed, state.end().get());
    }
    if (endMs.isPresent()) {
      return Math.min(committed, look(key).moment(micros(endMs.get())).before());
    }
    return committed;
  }

  /**
   * The first position after which a channel can continue: before the oldest kept change, or the
   * channel's end when no change of it is kept.
   */
  long earliest(ChannelKey key, ChannelState state) {
    return Math.min(first(key), last(key, state));
  }

  /** Refuses a position beyond either end. */
  long require(ChannelKey key, ChannelState state, long position) {
    long first = earliest(key, state);
    long last = last(key, state);
    String valid =
        "; the channel of partition "
            + key.partition()
            + " can continue after positions "
            + first
            + " to "
            + last;
    if (position >= 0 && position < first) {
      throw new RefusedException(
          ErrorCode.HISTORY_LOST,
          "changes " + (position + 1) + " to " + first + " are no longer kept" + valid);
    }
    if (position < 0 || position > last) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION, "there is no position " + position + " to go to" + valid);
    }
    return position;
  }

  /**
   * The position before the first change that was committed at or after a time; all changes of the
   * partition that were committed earlier must be known.
   */
  long before(ChannelKey key, long timeMs) {
    requirePast(timeMs, nowMicros);
    Look look = look(key);
    long position = look.moment(micros(timeMs)).before();
    long first = first(key);
    boolean isBehindGivenUp = look.givenUpMicros().filter(at -> at < micros(timeMs)).isPresent();
    if (position <= first && first > 0 && !isBehindGivenUp) {
      throw new RefusedException(
          ErrorCode.HISTORY_LOST,
          "changes 1 to "
              + first
              + " of partition "
              + key.partition()
              + " are no longer kept, and some of them may have been committed at "
              + timeMs
              + " or later"
              + look.givenUpMicros().map(at -> ", but none after " + ms(at)).orElse("")
              + (look.oldestMicros() == 0
                  ? ""
                  : "; the oldest that is kept was committed at " + ms(look.oldestMicros())));
    }
    return position;
  }

  /** The times whose positions a look must find: the tunnel's end and {@code timeMs}. */
  static Set<Long> moments(Optional<Long> endMs, Optional<Long> timeMs) {
    return Stream.concat(endMs.stream(), timeMs.stream())
        .map(StreamBounds::micros)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static long ms(long micros) {
    return TimeUnit.MICROSECONDS.toMillis(micros);
  }

  private static long micros(long ms) {
    return TimeUnit.MILLISECONDS.toMicros(ms);
  }

  /** Refuses a time that has not come, or is before 1970. */
  static void requirePast(long timeMs, long nowMicros) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(nowMicros);
    if (timeMs < 0 || timeMs > nowMs) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "a time to go to is from 1970 to now, "
              + Instant.ofEpochMilli(nowMs)
              + ", not "
              + Instant.ofEpochMilli(timeMs));
    }
  }
}
