package io.tunnel.sdk.worker.channel;

/**
 * How far a channel is, and which position may be checkpointed: what the worker has processed, or,
 * when the processor checkpoints, what the processor says is done.
 *
 * <p>Holds {@code checkpointed <= processed <= given}, but for positions that are no changes, and
 * for {@code processed} when the processor checkpoints.
 */
final class ProgressCore {

  private static final long NO_POSITION = -1;
  private final ChannelLimits limits;
  private final InboxCore inbox;

  /** What a processor that checkpoints says is done; otherwise unused. */
  private final PrefixCore prefix;

  /**
   * Nothing behind this position belongs to the channel, and nothing behind it is checkpointed.
   * More may have been received: the end was found late.
   */
  private long end = NO_POSITION;

  /** A delivery is missing between what was received and {@link #end}: that is not reached here. */
  private boolean hasDropped;

  /** Last position that is stored; never goes back. */
  private long checkpointed;

  /** Last position from which the processor has returned; never beyond what it was given. */
  private long processed;

  /** Position of the checkpoint under way, of which there is one at most; above checkpointed. */
  private long storing = NO_POSITION;

  /** News is to be stored at once; over when a checkpoint begins. */
  private boolean isAsked;

  /** When the last checkpoint began, or the processor was there. */
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

  /** The time to the first checkpoint runs from now on. */
  void opened(long nowNanos) {
    lastNanos = nowNanos;
  }

  /** A delivery was dropped: the end of the channel is not reached here. */
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

  /** Nothing comes behind {@code position}. */
  void endsAt(long position) {
    end = position;
  }

  /** No change follows what was delivered, up to {@code position}. */
  void settled(long position) {
    inbox.settled(position);
    isAsked |= limits.isManual();
  }

  /** Whether another input may be given to the processor. */
  boolean mayBegin() {
    return prefix.mayBegin();
  }

  /** The processor is given what the inbox has begun. */
  void begun() {
    if (limits.isManual()) {
      prefix.given(inbox.given());
    }
  }

  /** What the inbox has begun is given to the processor in parts, of which one ends there. */
  void divided(long position) {
    if (limits.isManual()) {
      prefix.divided(position);
    }
  }

  /** The change at {@code position} is left out, which is to be stored soon. */
  void skipped(long position) {
    if (limits.isManual()) {
      prefix.skipped(position);
    }
    isAsked = true;
  }

  /** The processor has returned from all up to {@code position}. */
  void processedUpTo(long position) {
    processed = position;
  }

  /**
   * The processor says that it is done with the input that ends at {@code position}, or with
   * everything up to there. Returns the position that a checkpoint has to reach for it.
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

  /** Whether everything that there will ever be was processed. */
  boolean isComplete() {
    return isComplete(processed);
  }

  private boolean isComplete(long done) {
    return hasEnd() && !hasDropped && done >= inbox.received();
  }

  /** Whether the end is checkpointed, or not known. */
  boolean isEndStored() {
    return checkpointed >= end;
  }

  /** As far as may be checkpointed: when all that was delivered is done, that is the end. */
  private long reached() {
    long done = limits.isManual() ? prefix.prefix() : processed;
    return isComplete(done) ? end : notBehindEnd(inbox.reach(done));
  }

  /** Whether there is something to checkpoint. */
  boolean isNews() {
    return reached() > checkpointed;
  }

  /** Whether a checkpoint was asked for. */
  boolean isAsked() {
    return isAsked;
  }

  /** Whether a checkpoint is under way. */
  boolean isBeingStored() {
    return storing != NO_POSITION;
  }

  /** When the next checkpoint is due, if there is progress. */
  long dueNanos() {
    return lastNanos + limits.checkpointNanos();
  }

  /** A checkpoint is being stored; returns its position. */
  long begin(long nowNanos) {
    if (isBeingStored()) {
      throw new IllegalStateException("a checkpoint at " + storing + " is under way");
    }
    storing = reached();
    isAsked = false;
    lastNanos = nowNanos;
    return storing;
  }

  /** The checkpoint under way is stored. */
  void stored() {
    checkpointed = storing;
    storing = NO_POSITION;
  }

  /** The checkpoint under way is not stored. */
  void notStored() {
    storing = NO_POSITION;
  }
}
