package io.tunnel.sdk.worker;

/**
 * What happens to one channel between its assignment and its end: when its processor is called,
 * which position may be checkpointed, and in which order it ends.
 *
 * <p>Holds {@code checkpointed <= given <= received}, but for positions that are no changes, and
 * {@code checkpointed <= processed} when the worker checkpoints. The order of an end is: the
 * running callback returns, the processor is told why, it checkpoints the end if that was reached
 * and is its business, it is stopped, what may be checkpointed is, and the server is told (unless
 * the whole session is about to be closed). Only a channel that is no longer ours is told so while
 * its callback still runs.
 *
 * <p>Longer than most files, because it is one machine: processing, checkpoints and the end share
 * its fields.
 */
final class WorkerChannelCore {

  /** What to do next. */
  enum Action {
    /** Wait for the next event, or for {@link #checkpointDueNanos}. */
    WAIT,
    /** Call {@link #begin} and process that many deliveries. */
    PROCESS,
    /** Tell the processor {@link #farewell}. */
    TELL,
    /** Store {@link #beginCheckpoint}'s position. */
    CHECKPOINT,
    /** Stop the processor. */
    STOP_PROCESSOR,
    /** Give the channel back. */
    RELEASE,
    /** Give the channel back to wait for an operator. */
    STOP_CHANNEL,
    /** Forget it. */
    CLOSE
  }

  /**
   * What a channel may use.
   *
   * @param processRowsMax rows of one input at most, unless a single delivery has more
   * @param processBytesMax bytes of one input at most, unless a single delivery has more
   * @param checkpointNanos between two checkpoints; 0 when the processor checkpoints by itself
   */
  record Limits(int processRowsMax, int processBytesMax, long checkpointNanos) {
    boolean isManual() {
      return checkpointNanos == 0;
    }
  }

  static final int LAST_WORD_ATTEMPTS_MAX = 5;
  private static final long NO_POSITION = -1;
  private final Limits limits;
  private final InboxCore inbox;
  private final PrefixCore prefix;
  private ChannelState state = ChannelState.WAITING;
  private Ending ending = Ending.NONE;
  private long end = NO_POSITION;
  private boolean hasDropped;

  /** A graceful end that does not wait for a processor to checkpoint the end of the channel. */
  private Ending insteadOfHolding = Ending.NONE;

  private long checkpointed;
  private long processed;
  private boolean isProcessing;
  private boolean isPausing;
  private int attempts;
  private boolean isTold;
  private boolean isTelling;
  private long checkpointing = NO_POSITION;
  private boolean isCheckpointAsked;
  private long lastCheckpointNanos;
  private int lastWordAttempts;
  private boolean isReleasing;
  private boolean isReleased;

  WorkerChannelCore(Limits limits, long checkpointed) {
    this.limits = limits;
    this.inbox = new InboxCore(checkpointed, limits.processRowsMax(), limits.processBytesMax());
    this.prefix = new PrefixCore(checkpointed);
    this.checkpointed = checkpointed;
    this.processed = checkpointed;
  }

  ChannelState state() {
    return state;
  }

  Ending ending() {
    return ending;
  }

  long checkpointed() {
    return checkpointed;
  }

  /** Everything up to here is processed, or no change. */
  long processed() {
    return inbox.reach(processed);
  }

  /** The last position that the processor was given. */
  long given() {
    return inbox.given();
  }

  /** The last position that was delivered, or is known to be no change behind that. */
  long received() {
    return inbox.reach(inbox.received());
  }

  /** Bytes that may still be delivered; below 0 when the last delivery was larger. */
  long creditLeft() {
    return inbox.creditLeft();
  }

  /** Bytes delivered and not processed. */
  int bufferedBytes() {
    return inbox.bufferedBytes();
  }

  /** Attempts at the present input that failed. */
  int attempts() {
    return attempts;
  }

  /** The processor is being made. */
  void opening() {
    move(ChannelState.OPENING, "its turn");
  }

  /** The processor is there. Returns whether the channel runs: it may have ended meanwhile. */
  boolean opened(long nowNanos) {
    lastCheckpointNanos = nowNanos;
    boolean runs = ending == Ending.NONE;
    move(runs ? ChannelState.RUNNING : ChannelState.DRAINING, ending);
    return runs;
  }

  /** The processor could not be made. Returns whether to try again after a pause. */
  boolean openFailed(boolean again) {
    if (again && ending == Ending.NONE) {
      isPausing = true;
      return true;
    }
    if (ending == Ending.NONE) {
      raise(Ending.STOPPED);
    }
    move(ChannelState.RELEASING, "no processor");
    return false;
  }

  /** The pause before another attempt to make it is over. Returns whether to make that. */
  boolean openPauseOver() {
    boolean isDue = isPausing && state == ChannelState.OPENING;
    isPausing &= !isDue;
    return isDue;
  }

  /** The server may send that many bytes more. */
  void granted(int bytes) {
    inbox.granted(bytes);
  }

  /**
   * A delivery of {@code rows} rows at {@code first} to {@code last} has arrived. Returns whether
   * it is to be kept: a channel that ends drops it.
   *
   * @throws IllegalStateException when the server sent it out of order or without credit
   */
  boolean delivered(long first, long last, int rows, int bytes) {
    if (state != ChannelState.RUNNING) {
      hasDropped = true;
      return false;
    }
    if (end != NO_POSITION) {
      throw new IllegalStateException(
          "positions " + first + " to " + last + " were delivered after the end at " + end);
    }
    inbox.delivered(first, last, rows, bytes);
    return true;
  }

  /**
   * No change follows what was delivered, up to {@code position}. That is progress when everything
   * before it is done, and no processor's business.
   */
  void settled(long position) {
    if (state == ChannelState.RUNNING) {
      inbox.settled(position);
      isCheckpointAsked |= limits.isManual();
    }
  }

  /**
   * Nothing comes behind {@code position}. It counts only as long as nothing before it was dropped:
   * otherwise the next holder is told again.
   *
   * @throws IllegalStateException when something behind it was delivered already
   */
  void endsAt(long position) {
    if (position < received()) {
      throw new IllegalStateException(
          "the channel ends at " + position + " but was delivered up to " + received());
    }
    end = position;
  }

  /** Whether what was begun last is all that there will ever be. */
  boolean isAtEnd() {
    return end != NO_POSITION && inbox.isEmpty();
  }

  /** What to do next; asked again after every event and every action. */
  Action next(long nowNanos) {
    if (isCheckpointWanted()) {
      return Action.CHECKPOINT;
    }
    return switch (state) {
      case WAITING, OPENING, STOPPING, CLOSED -> Action.WAIT;
      case RUNNING -> nextRunning(nowNanos);
      case DRAINING -> nextDraining();
      case HOLDING -> nextHolding();
      case CHECKPOINTING -> nextCheckpointing();
      case RELEASING -> nextReleasing();
    };
  }

  /** The processor wants its progress stored: also while it is being told of the end. */
  private boolean isCheckpointWanted() {
    return isCheckpointAsked && hasProgress() && isFree() && state != ChannelState.RELEASING;
  }

  private boolean isFree() {
    return checkpointing == NO_POSITION && ending.isOurs() && state != ChannelState.CLOSED;
  }

  private Action nextRunning(long nowNanos) {
    if (!isProcessing && !inbox.isEmpty() && prefix.mayBegin()) {
      return Action.PROCESS;
    }
    if (!isProcessing && isAtEnd()) {
      end(Ending.ENDED);
      return nextDraining();
    }
    boolean isDue = awaitsCheckpoint() && nowNanos - checkpointDueNanos() >= 0;
    return isDue ? Action.CHECKPOINT : Action.WAIT;
  }

  private Action nextDraining() {
    if (!isTold && (!isProcessing || !ending.isOurs())) {
      noticeEnd();
      isTold = true;
      isTelling = true;
      return Action.TELL;
    }
    if (isProcessing || isTelling) {
      return Action.WAIT;
    }
    move(ChannelState.HOLDING, ending);
    return nextHolding();
  }

  /** Given back just when everything was processed: nobody else could be told of the end. */
  private void noticeEnd() {
    boolean isGivenBack = ending == Ending.SHUTDOWN || ending == Ending.REVOKED;
    if (isGivenBack && isComplete(processed)) {
      insteadOfHolding = ending;
      ending = Ending.ENDED;
    }
  }

  private Action nextHolding() {
    if (limits.isManual() && ending == Ending.ENDED && checkpointed < end) {
      if (insteadOfHolding == Ending.NONE) {
        return Action.WAIT;
      }
      ending = insteadOfHolding;
    }
    move(ChannelState.STOPPING, ending);
    return Action.STOP_PROCESSOR;
  }

  private Action nextCheckpointing() {
    if (checkpointing != NO_POSITION && ending.isOurs()) {
      return Action.WAIT;
    }
    boolean giveUp = limits.isManual() || lastWordAttempts >= LAST_WORD_ATTEMPTS_MAX;
    if (hasProgress() && ending.isOurs() && !giveUp) {
      return isPausing ? Action.WAIT : Action.CHECKPOINT;
    }
    lastWordAttempts = 0;
    isPausing = false;
    move(ChannelState.RELEASING, ending);
    return nextReleasing();
  }

  private Action nextReleasing() {
    if (!ending.isAnnounced() || isReleased) {
      move(ChannelState.CLOSED, ending);
      return Action.CLOSE;
    }
    if (isReleasing || isPausing) {
      return Action.WAIT;
    }
    isReleasing = true;
    return ending == Ending.STOPPED ? Action.STOP_CHANNEL : Action.RELEASE;
  }

  /** As far as may be checkpointed: when all that was delivered is done, that is the end. */
  private long progress() {
    long done = limits.isManual() ? prefix.prefix() : processed;
    return isComplete(done) ? end : inbox.reach(done);
  }

  private boolean isComplete(long done) {
    return end != NO_POSITION && !hasDropped && done >= inbox.received();
  }

  private boolean hasProgress() {
    return progress() > checkpointed;
  }

  /** Whether a checkpoint will be due though nothing else happens. */
  boolean awaitsCheckpoint() {
    return state == ChannelState.RUNNING && !limits.isManual() && hasProgress() && isFree();
  }

  /** When the next checkpoint is due, if there is progress. */
  long checkpointDueNanos() {
    return lastCheckpointNanos + limits.checkpointNanos();
  }

  /** Takes the next deliveries to process: returns how many, oldest first. */
  int begin() {
    if (isProcessing || inbox.isEmpty() || state != ChannelState.RUNNING) {
      throw new IllegalStateException(
          "nothing to begin: " + state + ", processing " + isProcessing);
    }
    int count = inbox.begin();
    if (limits.isManual()) {
      prefix.given(inbox.given());
    }
    isProcessing = true;
    attempts = 0;
    return count;
  }

  /** What was begun is processed. Returns the bytes that come back, 0 when the channel ends. */
  int processingDone() {
    requireProcessing();
    processed = inbox.given();
    isProcessing = false;
    int bytes = inbox.done();
    return state == ChannelState.RUNNING ? bytes : 0;
  }

  /**
   * The processor threw. Returns whether to try the same again after a pause: when it may be tried
   * {@code again}, and the channel does not end anyway.
   */
  boolean failed(boolean again) {
    requireProcessing();
    attempts++;
    if (state == ChannelState.RUNNING && again) {
      isPausing = true;
      return true;
    }
    dropInput();
    if (state == ChannelState.RUNNING) {
      end(Ending.STOPPED);
    }
    return false;
  }

  private void dropInput() {
    isPausing = false;
    isProcessing = false;
    var unused = inbox.done();
  }

  private void requireProcessing() {
    if (!isProcessing) {
      throw new IllegalStateException("nothing is being processed in state " + state);
    }
  }

  /** The pause before another attempt is over. Returns whether to process the input again. */
  boolean pauseOver() {
    boolean wasPausing = isPausing;
    isPausing = false;
    return wasPausing && isProcessing;
  }

  /** The channel ends: what has not begun is dropped. */
  void end(Ending reason) {
    raise(reason);
    inbox.drop();
    if (isPausing && isProcessing) {
      dropInput();
    }
    if (state == ChannelState.RUNNING) {
      move(ChannelState.DRAINING, reason);
    } else if (state == ChannelState.WAITING || (state == ChannelState.OPENING && isPausing)) {
      isPausing = false;
      move(ChannelState.RELEASING, reason);
    }
  }

  private void raise(Ending reason) {
    if (reason.compareTo(ending) > 0) {
      ending = reason;
    } else if (ending == Ending.ENDED && reason != Ending.ENDED) {
      insteadOfHolding = reason;
    }
  }

  /** What to tell the processor. */
  Farewell farewell() {
    if (!ending.isOurs()) {
      return Farewell.REVOKED;
    }
    return ending == Ending.ENDED ? Farewell.ENDED : Farewell.CLOSING;
  }

  /** The processor was told. */
  void told() {
    isTelling = false;
  }

  /** The processor is stopped. */
  void processorStopped() {
    move(ChannelState.CHECKPOINTING, "the processor is stopped");
  }

  /**
   * The processor says that it is done with the input that ends at {@code position}, or with
   * everything up to there, and wants that stored. Returns the position that a checkpoint has to
   * reach for it.
   */
  long done(long position, boolean isUpTo) {
    if (isUpTo) {
      prefix.doneUpTo(position);
    } else {
      prefix.done(position);
    }
    isCheckpointAsked = true;
    return end != NO_POSITION && position >= inbox.received() ? end : position;
  }

  /** A checkpoint is being stored; returns its position. */
  long beginCheckpoint(long nowNanos) {
    if (checkpointing != NO_POSITION) {
      throw new IllegalStateException("a checkpoint at " + checkpointing + " is under way");
    }
    checkpointing = progress();
    isCheckpointAsked = false;
    lastCheckpointNanos = nowNanos;
    return checkpointing;
  }

  /** The checkpoint under way is stored. */
  void checkpointStored() {
    checkpointed = checkpointing;
    checkpointing = NO_POSITION;
  }

  /** The checkpoint under way was not stored. Returns whether to call {@link #pauseOver} later. */
  boolean checkpointFailed(boolean isRetriable) {
    checkpointing = NO_POSITION;
    if (state != ChannelState.CHECKPOINTING || limits.isManual()) {
      return false;
    }
    lastWordAttempts = isRetriable ? lastWordAttempts + 1 : LAST_WORD_ATTEMPTS_MAX;
    isPausing = lastWordAttempts < LAST_WORD_ATTEMPTS_MAX;
    return isPausing;
  }

  /** The server has taken the channel back. */
  void released() {
    isReleased = true;
  }

  /** The server did not. Returns whether to call {@link #pauseOver} later and try again. */
  boolean releaseFailed() {
    isReleasing = false;
    lastWordAttempts++;
    isPausing = lastWordAttempts < LAST_WORD_ATTEMPTS_MAX;
    return isPausing;
  }

  private void move(ChannelState next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a channel that is " + state + " cannot be " + next + ": " + reason);
    }
    state = next;
  }
}
