package io.tunnel.sdk.worker.channel;

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
public final class WorkerChannelCore {

  /** How often the last checkpoint, and the release, is tried. */
  public static final int LAST_WORD_ATTEMPTS_MAX = 5;

  private final ChannelLimits limits;

  /** What was delivered. An input is with the processor only from RUNNING to TOLD. */
  private final InboxCore inbox;

  /** How far the channel is. Nothing more is stored from RELEASING on. */
  private final ProgressCore progress;

  private ChannelState state = ChannelState.WAITING;

  /**
   * The strongest reason to end so far: NONE while WAITING, RUNNING or in OPEN_PAUSING, and never
   * weaker, but for an ENDED that {@link #insteadOfHolding} replaces.
   */
  private Ending ending = Ending.NONE;

  /**
   * A graceful end that came beside ENDED: takes its place in HOLDING, where the processor would
   * else be waited for. NONE unless {@link #ending} has been ENDED.
   */
  private Ending insteadOfHolding = Ending.NONE;

  /** Failures in a row to store the last checkpoint or to give back; 0 before CHECKPOINTING. */
  private int lastWordAttempts;

  /** A channel that is assigned, with that progress. */
  public WorkerChannelCore(ChannelLimits limits, long checkpointed) {
    this.limits = limits;
    this.inbox = new InboxCore(checkpointed, limits.processRowsMax(), limits.processBytesMax());
    this.progress = new ProgressCore(limits, inbox, checkpointed);
  }

  /** Where the channel stands. */
  public ChannelState state() {
    return state;
  }

  /** Why it ends; NONE while it does not. */
  public Ending ending() {
    return ending;
  }

  /** The last position that is stored. */
  public long checkpointed() {
    return progress.checkpointed();
  }

  /** The last position from which the processor has returned. */
  public long processed() {
    return progress.processed();
  }

  /** The last position that the processor was given. */
  public long given() {
    return inbox.given();
  }

  /** The last position that was delivered, or is known to be no change behind that. */
  public long received() {
    return inbox.reach(inbox.received());
  }

  /** Bytes that may still be delivered; below 0 when the last delivery was larger. */
  public long creditLeft() {
    return inbox.creditLeft();
  }

  /** Bytes delivered and not processed. */
  public int bufferedBytes() {
    return inbox.bufferedBytes();
  }

  /** The processor is being made. */
  public void opening() {
    move(ChannelState.OPENING, "its turn");
  }

  /** The processor is there. Returns whether the channel runs: it may have ended meanwhile. */
  public boolean opened(long nowNanos) {
    progress.opened(nowNanos);
    boolean runs = ending == Ending.NONE;
    move(runs ? ChannelState.RUNNING : ChannelState.DRAINING, ending);
    return runs;
  }

  /** The processor could not be made. Returns whether to try again after a pause. */
  public boolean openFailed(boolean again) {
    if (again && ending == Ending.NONE) {
      move(ChannelState.OPEN_PAUSING, "no processor yet");
      return true;
    }
    if (ending == Ending.NONE) {
      raise(Ending.STOPPED);
    }
    move(ChannelState.RELEASING, "no processor");
    return false;
  }

  /** The pause before another attempt to make it is over. Returns whether to make that. */
  public boolean openPauseOver() {
    return pauseOver(ChannelState.OPEN_PAUSING, ChannelState.OPENING);
  }

  /** The server may send that many bytes more. */
  public void granted(int bytes) {
    inbox.granted(bytes);
  }

  /**
   * A delivery of {@code rows} rows at {@code first} to {@code last} has arrived. Returns whether
   * it is to be kept: a channel that ends drops it.
   *
   * @throws IllegalStateException when the server sent it out of order or without credit
   */
  public boolean delivered(long first, long last, int rows, int bytes) {
    if (state != ChannelState.RUNNING) {
      progress.dropped();
      return false;
    }
    progress.requireNoEndBefore(first, last);
    inbox.delivered(first, last, rows, bytes);
    return true;
  }

  /**
   * No change follows what was delivered, up to {@code position}. That is progress when everything
   * before it is done, and no processor's business.
   */
  public void settled(long position) {
    if (state == ChannelState.RUNNING) {
      progress.settled(position);
    }
  }

  /**
   * Nothing comes behind {@code position}. It counts only as long as nothing before it was dropped:
   * otherwise the next holder is told again. What was delivered behind it is processed, and not
   * checkpointed.
   */
  public void endsAt(long position) {
    progress.endsAt(position);
  }

  /** Whether what was begun last is all that there will ever be. */
  public boolean isAtEnd() {
    return progress.hasEnd() && inbox.isEmpty();
  }

  /** What to do next; asked again after every event and every action. */
  public ChannelAction next(long nowNanos) {
    if (isCheckpointWanted()) {
      return ChannelAction.CHECKPOINT;
    }
    return switch (state) {
      case WAITING, OPENING, OPEN_PAUSING, TELLING, STOPPING, CLOSED -> ChannelAction.WAIT;
      case RUNNING -> nextRunning(nowNanos);
      case DRAINING -> nextDraining();
      case TOLD -> nextTold();
      case HOLDING -> nextHolding();
      case CHECKPOINTING, CHECKPOINT_PAUSING -> nextCheckpointing();
      case RELEASING, RELEASE_ASKED, RELEASE_PAUSING, RELEASED -> nextReleasing();
    };
  }

  /** The processor wants its progress stored: also while it is being told of the end. */
  private boolean isCheckpointWanted() {
    return progress.isAsked() && progress.isNews() && isFree() && !state.isPastCheckpoints();
  }

  private boolean isFree() {
    return !progress.isBeingStored() && ending.isOurs();
  }

  private boolean isIdle() {
    return inbox.input() == InputState.NONE;
  }

  private ChannelAction nextRunning(long nowNanos) {
    if (isIdle() && !inbox.isEmpty() && progress.mayBegin()) {
      return ChannelAction.PROCESS;
    }
    if (isIdle() && isAtEnd()) {
      end(Ending.ENDED);
      return nextDraining();
    }
    boolean isDue = awaitsCheckpoint() && nowNanos - checkpointDueNanos() >= 0;
    return isDue ? ChannelAction.CHECKPOINT : ChannelAction.WAIT;
  }

  private ChannelAction nextDraining() {
    if (!isIdle() && ending.isOurs()) {
      return ChannelAction.WAIT;
    }
    noticeEnd();
    move(ChannelState.TELLING, ending);
    return ChannelAction.TELL;
  }

  private ChannelAction nextTold() {
    if (!isIdle()) {
      return ChannelAction.WAIT;
    }
    move(ChannelState.HOLDING, ending);
    return nextHolding();
  }

  /** Given back just when everything was processed: nobody else could be told of the end. */
  private void noticeEnd() {
    boolean isGivenBack = ending == Ending.SHUTDOWN || ending == Ending.REVOKED;
    if (isGivenBack && progress.isComplete()) {
      insteadOfHolding = ending;
      ending = Ending.ENDED;
    }
  }

  private ChannelAction nextHolding() {
    if (limits.isManual() && ending == Ending.ENDED && !progress.isEndStored()) {
      if (insteadOfHolding == Ending.NONE) {
        return ChannelAction.WAIT;
      }
      ending = insteadOfHolding;
    }
    move(ChannelState.STOPPING, ending);
    return ChannelAction.STOP_PROCESSOR;
  }

  private ChannelAction nextCheckpointing() {
    if (progress.isBeingStored() && ending.isOurs()) {
      return ChannelAction.WAIT;
    }
    boolean giveUp = limits.isManual() || lastWordAttempts >= LAST_WORD_ATTEMPTS_MAX;
    if (progress.isNews() && ending.isOurs() && !giveUp) {
      boolean isPausing = state == ChannelState.CHECKPOINT_PAUSING;
      return isPausing ? ChannelAction.WAIT : ChannelAction.CHECKPOINT;
    }
    lastWordAttempts = 0;
    move(ChannelState.RELEASING, ending);
    return nextReleasing();
  }

  private ChannelAction nextReleasing() {
    if (!ending.isAnnounced() || state == ChannelState.RELEASED) {
      move(ChannelState.CLOSED, ending);
      return ChannelAction.CLOSE;
    }
    if (state != ChannelState.RELEASING) {
      return ChannelAction.WAIT;
    }
    move(ChannelState.RELEASE_ASKED, ending);
    return ending == Ending.STOPPED ? ChannelAction.STOP_CHANNEL : ChannelAction.RELEASE;
  }

  /** Whether a checkpoint will be due though nothing else happens. */
  public boolean awaitsCheckpoint() {
    return state == ChannelState.RUNNING && !limits.isManual() && progress.isNews() && isFree();
  }

  /** When the next checkpoint is due, if there is progress. */
  public long checkpointDueNanos() {
    return progress.dueNanos();
  }

  /** Takes the next deliveries to process: returns how many, oldest first. */
  public int begin() {
    if (state != ChannelState.RUNNING) {
      throw new IllegalStateException("nothing is begun by a channel that is " + state);
    }
    int count = inbox.begin();
    progress.begun();
    return count;
  }

  /** What was begun is processed. Returns the bytes that come back, 0 when the channel ends. */
  public int processingDone() {
    inbox.requireProcessing();
    progress.processedUpTo(inbox.given());
    int bytes = inbox.done();
    return state == ChannelState.RUNNING ? bytes : 0;
  }

  /** What was begun is processed up to {@code position}, which is not its end. */
  public void partDone(long position) {
    inbox.requireProcessing();
    progress.processedUpTo(position);
  }

  /** What was begun is given to the processor in parts, of which one ends at {@code position}. */
  public void divided(long position) {
    progress.divided(position);
  }

  /** The change at {@code position}, of what was begun, is left out. */
  public void skipped(long position) {
    progress.skipped(position);
  }

  /**
   * The processor threw. Returns whether to try the same again after a pause: when it may be tried
   * {@code again}, and the channel does not end anyway.
   */
  public boolean failed(boolean again) {
    inbox.requireProcessing();
    if (state == ChannelState.RUNNING && again) {
      inbox.pause();
      return true;
    }
    var unused = inbox.done();
    if (state == ChannelState.RUNNING) {
      end(Ending.STOPPED);
    }
    return false;
  }

  /** The pause before another attempt is over. Returns whether to process the input again. */
  public boolean inputPauseOver() {
    return inbox.pauseOver();
  }

  /** The channel ends: what has not begun is dropped. */
  public void end(Ending reason) {
    raise(reason);
    inbox.drop();
    if (inbox.input() == InputState.PAUSING) {
      var unused = inbox.done();
    }
    if (state == ChannelState.RUNNING) {
      move(ChannelState.DRAINING, reason);
    } else if (state == ChannelState.WAITING || state == ChannelState.OPEN_PAUSING) {
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
  public Farewell farewell() {
    if (!ending.isOurs()) {
      return Farewell.REVOKED;
    }
    return ending == Ending.ENDED ? Farewell.ENDED : Farewell.CLOSING;
  }

  /** The processor was told. */
  public void told() {
    move(ChannelState.TOLD, ending);
  }

  /** The processor is stopped. */
  public void processorStopped() {
    move(ChannelState.CHECKPOINTING, "the processor is stopped");
  }

  /**
   * The processor says that it is done with the input that ends at {@code position}, or with
   * everything up to there, and wants that stored. Returns the position that a checkpoint has to
   * reach for it.
   */
  public long done(long position, boolean isUpTo) {
    return progress.done(position, isUpTo);
  }

  /** A checkpoint is being stored; returns its position. */
  public long beginCheckpoint(long nowNanos) {
    return progress.begin(nowNanos);
  }

  /** The checkpoint under way is stored. */
  public void checkpointStored() {
    progress.stored();
  }

  /** It was not stored. Returns whether to call {@link #lastWordPauseOver} after a pause. */
  public boolean checkpointFailed(boolean isRetriable) {
    progress.notStored();
    if (!isStoringLast() || limits.isManual()) {
      return false;
    }
    lastWordAttempts = isRetriable ? lastWordAttempts + 1 : LAST_WORD_ATTEMPTS_MAX;
    return pauseUnlessGivenUp(ChannelState.CHECKPOINTING, ChannelState.CHECKPOINT_PAUSING);
  }

  private boolean isStoringLast() {
    return state == ChannelState.CHECKPOINTING || state == ChannelState.CHECKPOINT_PAUSING;
  }

  /** One that was asked for may have failed in a pause: then that goes on, or is over. */
  private boolean pauseUnlessGivenUp(ChannelState trying, ChannelState pausing) {
    boolean isGivenUp = lastWordAttempts >= LAST_WORD_ATTEMPTS_MAX;
    ChannelState next = isGivenUp ? trying : pausing;
    if (next != state) {
      move(next, lastWordAttempts + " failures");
    }
    return !isGivenUp;
  }

  /** Whether the channel ends gracefully and its last progress could not be stored. */
  public boolean isLastCheckpointGivenUp() {
    return isStoringLast() && lastWordAttempts >= LAST_WORD_ATTEMPTS_MAX && progress.isNews();
  }

  /** The server has taken the channel back. */
  public void released() {
    if (state == ChannelState.RELEASE_ASKED) {
      move(ChannelState.RELEASED, "the server has taken it back");
    }
  }

  /**
   * The server did not take it back. Returns false when it was asked often enough; else {@link
   * #lastWordPauseOver} is to be called after a pause.
   */
  public boolean releaseFailed() {
    if (state != ChannelState.RELEASE_ASKED) {
      return true;
    }
    lastWordAttempts++;
    return pauseUnlessGivenUp(ChannelState.RELEASING, ChannelState.RELEASE_PAUSING);
  }

  /** The pause before the last checkpoint, or the release, is tried again is over. */
  public void lastWordPauseOver() {
    if (!pauseOver(ChannelState.CHECKPOINT_PAUSING, ChannelState.CHECKPOINTING)) {
      var unused = pauseOver(ChannelState.RELEASE_PAUSING, ChannelState.RELEASING);
    }
  }

  private boolean pauseOver(ChannelState pausing, ChannelState next) {
    boolean isDue = state == pausing;
    if (isDue) {
      move(next, "the pause is over");
    }
    return isDue;
  }

  private void move(ChannelState next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a channel that is " + state + " cannot be " + next + ": " + reason);
    }
    state = next;
  }
}
