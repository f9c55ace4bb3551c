package io.tunnel.core;

import io.tunnel.model.KnownPosition;
import io.tunnel.model.value.Bytes;
import java.util.Objects;
import java.util.Optional;

/**
 * The stored state of a channel.
 *
 * @param checkpointed position of the last processed change: all changes up to it, inclusive, were
 *     processed
 * @param key encoded key of the row at that position for a base channel; otherwise empty
 * @param end the position after which the channel ends; absent while unknown
 * @param isFinished whether the channel is TERMINATED
 * @param isPaused whether an operator has paused the channel
 * @param stop reason why the channel is stopped
 * @param incarnation incarnation of {@code checkpointed} in a shared log, see {@link
 *     KnownPosition}, if known
 */
public record ChannelState(
    long checkpointed,
    Bytes key,
    Optional<Long> end,
    boolean isFinished,
    boolean isPaused,
    Optional<StopReason> stop,
    Optional<Long> incarnation) {

  /** A channel at a position of unknown incarnation. */
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

  /** A new channel after a position. */
  public static ChannelState startingAt(long checkpointed) {
    return new ChannelState(
        checkpointed, Bytes.EMPTY, Optional.empty(), false, false, Optional.empty());
  }

  /** This state at another position, of unknown incarnation. */
  public ChannelState withProgress(long position, Bytes lastKey) {
    return new ChannelState(position, lastKey, end, isFinished, isPaused, stop);
  }

  /** This state at the position to which an operator moves the channel, with the end there. */
  public ChannelState movedTo(long position, Bytes lastKey, Optional<Long> newEnd) {
    ChannelState moved = withProgress(position, lastKey).withEnd(newEnd, false);
    return moved.withEnd(newEnd, isFinished && moved.isAtEnd());
  }

  /** The state of a stream whose changes behind {@code committed} were lost. */
  public ChannelState rolledBack(long committed) {
    ChannelState now = withProgress(Math.min(checkpointed, committed), Bytes.EMPTY);
    return end.orElse(0L) > committed ? now.withEnd(Optional.empty(), false) : now;
  }

  /** This state with a new incarnation of its position, or without one. */
  public ChannelState seenIn(Optional<Long> told) {
    return new ChannelState(checkpointed, key, end, isFinished, isPaused, stop, told);
  }

  /** The checkpoint with its incarnation, if that is known. */
  public Optional<KnownPosition> known() {
    return incarnation.map(in -> new KnownPosition(checkpointed, in));
  }

  /** This state with a new end or without one, finished or not. */
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

  /** The reason of the stop as a text for people. */
  public Optional<String> error() {
    return stop.map(StopReason::error);
  }

  /** Whether the checkpoint has reached the end. */
  public boolean isAtEnd() {
    return end.isPresent() && end.get() == checkpointed;
  }
}
