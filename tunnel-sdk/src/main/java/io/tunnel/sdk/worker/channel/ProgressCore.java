package io.tunnel.sdk.worker.channel;

/**
 * The progress of a channel, and the position to checkpoint: the last processed position, or the
 * position that the processor marked as done if it checkpoints by itself.
 *
 * <p>Invariant: {@code checkpointed <= processed <= given}. Settled positions and the marks of a
 * processor that checkpoints by itself may exceed {@code processed}.
 */
final class ProgressCore {

  private static final long NO_POSITION = -1;

  /** A failure doubles the time to the next checkpoint this often at most. */
  private static final int DOUBLINGS_MAX = 4;

  private final ChannelLimits limits;
  private final InboxCore inbox;

  /** Inputs that the processor marked as done; unused unless the processor checkpoints. */
  private final PrefixCore prefix;

  /**
   * Last position of the channel; no later position is checkpointed. The channel may have received
   * later positions, because the end was found late.
   */
  private long end = NO_POSITION;

  /** True when the channel dropped a delivery before {@link #end}: it cannot reach the end. */
  private boolean hasDropped;

  /** Position of the last stored checkpoint; never decreases. */
  private long checkpointed;

  /** Last position from which the processor has returned; never behind the last given position. */
  private long processed;

  /** Position of the checkpoint in flight, above {@link #checkpointed}; at most one. */
  private long storing = NO_POSITION;

  /** True when new progress has to be stored at once; false after a checkpoint begins. */
  private boolean isAsked;

  /** Checkpoints in a row that were not stored; at most {@link #DOUBLINGS_MAX} are counted. */
  private int failures;

  /** Time when the last checkpoint began, or when the processor was made. */
  private long lastNanos;

  ProgressCore(ChannelLimits limits, InboxCore inbox, long checkpointed) {
    this.limits = limits;
    this.inbox = inbox;
    this.prefix = new PrefixCore(checkpointed);
    this.checkpointed = checkpointed;
    this.processed = checkpointed;
  }

  long checkpointed() {
    return checkpointed;
  }

  long processed() {
    return processed;
  }

  /** Starts the time to the first checkpoint. */
  void opened(long nowNanos) {
    lastNanos = nowNanos;
  }

  /** The channel dropped a delivery, and cannot reach its end. */
  void dropped() {
    hasDropped = true;
  }

  boolean hasEnd() {
    return end != NO_POSITION;
  }

  void requireNoEndBefore(long first, long last) {
    if (hasEnd()) {
      throw new IllegalStateException(
          "positions " + first + " to " + last + " were delivered after the end at " + end);
    }
  }

  /** No change exists behind {@code position}. */
  void endsAt(long position) {
    end = position;
  }

  /** No further change exists up to {@code position}. */
  void settled(long position) {
    inbox.settled(position);
    isAsked |= limits.isManual();
  }

  /** True when the processor may get a further input. */
  boolean mayBegin() {
    return prefix.mayBegin();
  }

  /** The processor gets the input that the inbox has begun. */
  void begun() {
    if (limits.isManual()) {
      prefix.given(inbox.given());
    }
  }

  /** The processor gets the input in parts; one part ends at {@code position}. */
  void divided(long position) {
    if (limits.isManual()) {
      prefix.divided(position);
    }
  }

  /** The change at {@code position} is skipped; a checkpoint has to report the skip soon. */
  void skipped(long position) {
    if (limits.isManual()) {
      prefix.skipped(position);
    }
    isAsked = true;
  }

  /** The processor has returned from all changes up to {@code position}. */
  void processedUpTo(long position) {
    processed = position;
  }

  /**
   * The processor marks the input that ends at {@code position} as done, or all inputs up to there.
   * Returns the position that a checkpoint has to reach to cover the mark.
   */
  long done(long position, boolean isUpTo) {
    if (isUpTo) {
      prefix.doneUpTo(position);
    } else {
      prefix.done(position);
    }
    isAsked = true;
    return isComplete(position) ? end : notBehindEnd(position);
  }

  private long notBehindEnd(long position) {
    return hasEnd() ? Math.min(position, end) : position;
  }

  /** True when all changes up to the end of the channel are processed. */
  boolean isComplete() {
    return isComplete(processed);
  }

  private boolean isComplete(long done) {
    return hasEnd() && !hasDropped && done >= inbox.received();
  }

  /** True when the end is checkpointed or unknown. */
  boolean isEndStored() {
    return checkpointed >= end;
  }

  /** The position to checkpoint; the end of the channel when all deliveries are done. */
  private long reached() {
    long done = limits.isManual() ? prefix.prefix() : processed;
    return isComplete(done) ? end : notBehindEnd(inbox.reach(done));
  }

  /** True when there is new progress to checkpoint. */
  boolean isNews() {
    return reached() > checkpointed;
  }

  /** True when new progress has to be stored at once. */
  boolean isAsked() {
    return isAsked;
  }

  /** True while a checkpoint is in flight. */
  boolean isBeingStored() {
    return storing != NO_POSITION;
  }

  /** Time of the next periodic checkpoint; failures double the interval. */
  long dueNanos() {
    return lastNanos + (limits.checkpointNanos() << failures);
  }

  /** Begins a checkpoint; returns its position. */
  long begin(long nowNanos) {
    if (isBeingStored()) {
      throw new IllegalStateException("a checkpoint at " + storing + " is in flight");
    }
    storing = reached();
    isAsked = false;
    lastNanos = nowNanos;
    return storing;
  }

  /** The checkpoint in flight is stored. */
  void stored() {
    checkpointed = storing;
    storing = NO_POSITION;
    failures = 0;
  }

  /** The checkpoint in flight was not stored; the progress is kept for the next one. */
  void notStored() {
    storing = NO_POSITION;
    failures = Math.min(DOUBLINGS_MAX, failures + 1);
  }
}
