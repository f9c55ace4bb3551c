package io.tunnel.server.catalog;

import io.tunnel.model.Bytes;
import java.util.Objects;
import java.util.Optional;

/**
 * What is kept of a channel.
 *
 * @param checkpointed position up to which, inclusive, everything was processed
 * @param key of a base channel: the encoded key of the row at that position; otherwise empty
 * @param end the position behind which it ends; absent as long as it is not known
 * @param isFinished whether it is TERMINATED
 * @param isPaused whether an operator keeps it from being delivered
 * @param stop why it is stopped
 */
public record ChannelState(
    long checkpointed,
    Bytes key,
    Optional<Long> end,
    boolean isFinished,
    boolean isPaused,
    Optional<StopReason> stop) {

  /** Refuses null. */
  public ChannelState {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(stop, "stop");
  }

  /** A channel that begins behind a position. */
  public static ChannelState startingAt(long checkpointed) {
    return new ChannelState(
        checkpointed, Bytes.EMPTY, Optional.empty(), false, false, Optional.empty());
  }

  /** This state at another place. */
  public ChannelState withProgress(long position, Bytes lastKey) {
    return new ChannelState(position, lastKey, end, isFinished, isPaused, stop);
  }

  /** This state with another end, or none, and finished there or not. */
  public ChannelState withEnd(Optional<Long> newEnd, boolean isFinishedNow) {
    return new ChannelState(checkpointed, key, newEnd, isFinishedNow, isPaused, stop);
  }

  /** This state, paused or not. */
  public ChannelState withPause(boolean isPausedNow) {
    return new ChannelState(checkpointed, key, end, isFinished, isPausedNow, stop);
  }

  /** This state, stopped or not. */
  public ChannelState withStop(Optional<StopReason> newStop) {
    return new ChannelState(checkpointed, key, end, isFinished, isPaused, newStop);
  }

  /** Why it is stopped, for people. */
  public Optional<String> error() {
    return stop.map(StopReason::error);
  }

  /** Whether nothing is left to process. */
  public boolean isAtEnd() {
    return end.isPresent() && end.get() == checkpointed;
  }
}
