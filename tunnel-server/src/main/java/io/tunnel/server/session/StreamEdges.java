package io.tunnel.server.session;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.log.ChangeReader;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Where a tunnel's stream channels may go on: behind which positions, and at which times. */
final class StreamEdges {

  private final Optional<Long> endMs;
  private final ChangeReader changes;
  private final long nowMicros;

  /**
   * As it is at the moment {@code nowMicros}.
   *
   * @param endMs when the tunnel ends, if it does
   */
  StreamEdges(Optional<Long> endMs, ChangeReader changes, long nowMicros) {
    this.endMs = endMs;
    this.changes = changes;
    this.nowMicros = nowMicros;
  }

  /** The position in front of the oldest change that is kept. */
  long first(ChannelKey key) {
    return changes.firstPosition(key.partition()) - 1;
  }

  /** The last position that is committed and belongs to the channel. */
  long last(ChannelKey key, ChannelState state) throws IOException {
    long committed = changes.committed(key.partition());
    if (state.end().isPresent()) {
      return Math.min(committed, state.end().get());
    }
    if (endMs.isPresent()) {
      long endMicros = TimeUnit.MILLISECONDS.toMicros(endMs.get());
      return Math.min(committed, changes.positionBefore(key.partition(), endMicros));
    }
    return committed;
  }

  /** Refuses a position beyond either end. */
  long require(ChannelKey key, ChannelState state, long position) throws IOException {
    long first = first(key);
    long last = last(key, state);
    String valid =
        "; the channel of partition "
            + key.partition()
            + " can go on behind positions "
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
   * The position in front of the first change that was committed at or after a moment, for a
   * partition of which all that was committed before is known.
   */
  long before(ChannelKey key, long timeMs) throws IOException {
    requirePast(timeMs, nowMicros);
    int partition = key.partition();
    long position = changes.positionBefore(partition, TimeUnit.MILLISECONDS.toMicros(timeMs));
    long first = first(key);
    if (position <= first && first > 0) {
      long oldestMicros = changes.commitMicrosAfter(partition, first);
      throw new RefusedException(
          ErrorCode.HISTORY_LOST,
          "changes 1 to "
              + first
              + " of partition "
              + partition
              + " are no longer kept, and some of them may have been committed after "
              + timeMs
              + (oldestMicros == 0
                  ? ""
                  : "; the oldest that is kept was committed at "
                      + TimeUnit.MICROSECONDS.toMillis(oldestMicros)));
    }
    return position;
  }

  /** Refuses a moment that has not come, or is before 1970. */
  static void requirePast(long timeMs, long nowMicros) {
    long nowMs = TimeUnit.MICROSECONDS.toMillis(nowMicros);
    if (timeMs < 0 || timeMs > nowMs) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "a time to go to is from 0 to now, which is "
              + nowMs
              + " in milliseconds since 1970, not "
              + timeMs);
    }
  }
}
