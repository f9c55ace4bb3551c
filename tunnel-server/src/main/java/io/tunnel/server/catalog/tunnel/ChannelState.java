package io.tunnel.server.catalog.tunnel;

import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
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
 * @param incarnation of {@code checkpointed} in the log that many nodes share, as {@link
 *     KnownPosition} has it, if it is known
 */
public record ChannelState(
    long checkpointed,
    Bytes key,
    Optional<Long> end,
    boolean isFinished,
    boolean isPaused,
    Optional<StopReason> stop,
    Optional<Long> incarnation) {

  /** A channel at a position whose incarnation is not known. */
  public ChannelState(
      long checkpointed,
      Bytes key,
      Optional<Long> end,
      boolean isFinished,
      boolean isPaused,
      Optional<StopReason> stop) {
    this(checkpointed, key, end, isFinished, isPaused, stop, Optional.empty());
  }

  /** Refuses null. */
  public ChannelState {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(stop, "stop");
    Objects.requireNonNull(incarnation, "incarnation");
  }

  /** A channel that begins behind a position. */
  public static ChannelState startingAt(long checkpointed) {
    return new ChannelState(
        checkpointed, Bytes.EMPTY, Optional.empty(), false, false, Optional.empty());
  }

  /** This state at another place, whose incarnation is not known. */
  public ChannelState withProgress(long position, Bytes lastKey) {
    return new ChannelState(position, lastKey, end, isFinished, isPaused, stop);
  }

  /** This state, whose position was seen in an incarnation that is told, or is not. */
  public ChannelState seenIn(Optional<Long> told) {
    return new ChannelState(checkpointed, key, end, isFinished, isPaused, stop, told);
  }

  /** Up to where changes were processed, if it is known in which incarnation. */
  public Optional<KnownPosition> known() {
    return incarnation.map(in -> new KnownPosition(checkpointed, in));
  }

  /** This state with another end, or none, and finished there or not. */
  public ChannelState withEnd(Optional<Long> newEnd, boolean isFinishedNow) {
    return new ChannelState(checkpointed, key, newEnd, isFinishedNow, isPaused, stop, incarnation);
  }

  /** This state, paused or not. */
  public ChannelState withPause(boolean isPausedNow) {
    return new ChannelState(checkpointed, key, end, isFinished, isPausedNow, stop, incarnation);
  }

  /** This state, stopped or not. */
  public ChannelState withStop(Optional<StopReason> newStop) {
    return new ChannelState(checkpointed, key, end, isFinished, isPaused, newStop, incarnation);
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
