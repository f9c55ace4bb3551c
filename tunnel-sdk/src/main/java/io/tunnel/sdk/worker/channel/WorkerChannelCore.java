package io.tunnel.sdk.worker.channel;

/**
 * The state machine of one channel from its assignment to its end: when to call the processor,
 * which position to checkpoint, and the order of the end.
 *
 * <p>Invariant: {@code checkpointed <= given <= received}, except for settled positions, and {@code
 * checkpointed <= processed} when the worker checkpoints. A channel ends in this order: the running
 * callback returns; the processor is told the reason; a processor that checkpoints by itself stores
 * the end, if it was reached; the processor is shut down; the worker stores the last checkpoint;
 * and the worker gives the channel back, unless it closes the whole session. Only the processor of
 * a lost channel is told the reason while its callback still runs.
 *
 * <p>Longer than most files, because processing, checkpoints and the end share the fields of one
 * machine.
 */
public final class WorkerChannelCore {

  /** Most attempts to store the last checkpoint, and to give the channel back. */
  public static final int END_ATTEMPTS_MAX = 5;

  private final ChannelLimits limits;

  /** The deliveries. The processor has an input only from RUNNING to TOLD. */
  private final InboxCore inbox;

  /** The progress. No checkpoint is stored from RELEASING on. */
  private final ProgressCore progress;

  private ChannelState state = ChannelState.WAITING;

  /**
   * The strongest reason to end so far: NONE in WAITING, RUNNING and OPEN_PAUSING. It never gets
   * weaker, except that {@link #insteadOfHolding} may replace ENDED.
   */
  private Ending ending = Ending.NONE;

  /**
   * A graceful end that came together with ENDED: replaces ENDED in HOLDING, so that the channel
   * does not wait for its processor. NONE unless {@link #ending} has been ENDED.
   */
  private Ending insteadOfHolding = Ending.NONE;

  /** Failures in a row of the last checkpoint or of the release; 0 before CHECKPOINTING. */
  private int endAttempts;

  /** A channel that was assigned with the progress {@code checkpointed}. */
  public WorkerChannelCore(ChannelLimits limits, long checkpointed) {
    this.limits = limits;
    this.inbox = new InboxCore(checkpointed, limits.processRowsMax(), limits.processBytesMax());
    this.progress = new ProgressCore(limits, inbox, checkpointed);
  }

  /** The current state. */
  public ChannelState state() {
    return state;
  }

  /** The reason to end; NONE while the channel goes on. */
  public Ending ending() {
    return ending;
  }

  /** Position of the last stored checkpoint. */
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

  /** The last position received: delivered, or settled without a change. */
  public long received() {
    return inbox.reach(inbox.received());
  }

  /** Unused credit in bytes; negative after a delivery larger than the credit. */
  public long creditLeft() {
    return inbox.creditLeft();
  }

  /** Bytes that are delivered and not processed. */
  public int bufferedBytes() {
    return inbox.bufferedBytes();
  }

  /** The processor is being made. */
  public void opening() {
    move(ChannelState.OPENING, "no former holding is left");
  }

  /** The processor is made. Returns false when the channel has to end already. */
  public boolean opened(long nowNanos) {
    progress.opened(nowNanos);
    boolean runs = ending == Ending.NONE;
    move(runs ? ChannelState.RUNNING : ChannelState.DRAINING, ending);
    return runs;
  }

  /** Making the processor failed. Returns true to retry after a pause. */
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

  /** The pause before the retry is over. Returns true to make the processor. */
  public boolean openPauseOver() {
    return pauseOver(ChannelState.OPEN_PAUSING, ChannelState.OPENING);
  }

  /** Adds credit. */
  public void granted(int bytes) {
    inbox.granted(bytes);
  }

  /**
   * A delivery of {@code rows} rows at {@code first} to {@code last} has arrived. Returns false
   * when the channel is ending and drops the delivery.
   *
   * @throws IllegalStateException when the server sent the delivery out of order or without credit
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
   * No further change exists up to {@code position}. The position becomes progress when all
   * deliveries are done; the processor is not called.
   */
  public void settled(long position) {
    if (state == ChannelState.RUNNING) {
      progress.settled(position);
    }
  }

  /**
   * No change exists behind {@code position}. The end counts only if no earlier delivery was
   * dropped; otherwise the next holder learns of the end again. Deliveries behind the end are
   * processed, but not checkpointed.
   */
  public void endsAt(long position) {
    progress.endsAt(position);
  }

  /** True when the input that was begun last is the last input of the channel. */
  public boolean isAtEnd() {
    return progress.hasEnd() && inbox.isEmpty();
  }

  /** The next action; to be asked after every event and every action. */
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

  /** The processor asked for a checkpoint; possible also while it is told of the end. */
  private boolean isCheckpointWanted() {
    return progress.isAsked() && progress.isNews() && isFree() && !state.isPastCheckpoints();
  }

  private boolean isFree() {
    return !progress.isBeingStored() && ending.isOurs();
  }

  private boolean isIdle() {
    return inbox.input() == InboxCore.InputState.NONE;
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

  /** A channel given back with all changes processed ends here: no later holder could end it. */
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
    boolean giveUp = limits.isManual() || endAttempts >= END_ATTEMPTS_MAX;
    if (progress.isNews() && ending.isOurs() && !giveUp) {
      boolean isPausing = state == ChannelState.CHECKPOINT_PAUSING;
      return isPausing ? ChannelAction.WAIT : ChannelAction.CHECKPOINT;
    }
    endAttempts = 0;
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

  /** True when a checkpoint will be due without a further event. */
  public boolean awaitsCheckpoint() {
    return state == ChannelState.RUNNING && !limits.isManual() && progress.isNews() && isFree();
  }

  /** Time of the next periodic checkpoint. */
  public long checkpointDueNanos() {
    return progress.dueNanos();
  }

  /** Begins the next input; returns the number of its deliveries, oldest first. */
  public int begin() {
    if (state != ChannelState.RUNNING) {
      throw new IllegalStateException("a channel in " + state + " begins no input");
    }
    int count = inbox.begin();
    progress.begun();
    return count;
  }

  /** The input is processed. Returns the bytes whose credit returns; 0 when the channel ends. */
  public int processingDone() {
    inbox.requireProcessing();
    progress.processedUpTo(inbox.given());
    int bytes = inbox.done();
    return state == ChannelState.RUNNING ? bytes : 0;
  }

  /** The input is processed up to {@code position}, which is not its end. */
  public void partDone(long position) {
    inbox.requireProcessing();
    progress.processedUpTo(position);
  }

  /** The processor gets the input in parts; one part ends at {@code position}. */
  public void divided(long position) {
    progress.divided(position);
  }

  /** The change at {@code position} of the input is skipped. */
  public void skipped(long position) {
    progress.skipped(position);
  }

  /**
   * The processor threw. Returns true to retry the input after a pause: when the policy allows a
   * retry ({@code again}) and the channel is not ending.
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

  /** The pause before a retry is over. Returns true to process the input again. */
  public boolean inputPauseOver() {
    return inbox.pauseOver();
  }

  /** Ends the channel: drops the deliveries that have not begun. */
  public void end(Ending reason) {
    raise(reason);
    inbox.drop();
    if (inbox.input() == InboxCore.InputState.PAUSING) {
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

  /** The callback that tells the processor why the channel ends. */
  public Ending.Farewell farewell() {
    return ending.farewell();
  }

  /** The processor was told of the end. */
  public void told() {
    move(ChannelState.TOLD, ending);
  }

  /** The processor is shut down. */
  public void processorStopped() {
    move(ChannelState.CHECKPOINTING, "the processor is shut down");
  }

  /**
   * The processor marks the input that ends at {@code position} as done, or all inputs up to there,
   * and asks for a checkpoint. Returns the position that the checkpoint has to reach.
   */
  public long done(long position, boolean isUpTo) {
    return progress.done(position, isUpTo);
  }

  /** Begins a checkpoint; returns its position. */
  public long beginCheckpoint(long nowNanos) {
    return progress.begin(nowNanos);
  }

  /** The checkpoint in flight is stored. */
  public void checkpointStored() {
    progress.stored();
  }

  /** The checkpoint was not stored. Returns true to call {@link #endPauseOver} after a pause. */
  public boolean checkpointFailed(boolean isRetriable) {
    progress.notStored();
    if (!isStoringLast() || limits.isManual()) {
      return false;
    }
    endAttempts = isRetriable ? endAttempts + 1 : END_ATTEMPTS_MAX;
    return pauseUnlessGivenUp(ChannelState.CHECKPOINTING, ChannelState.CHECKPOINT_PAUSING);
  }

  private boolean isStoringLast() {
    return state == ChannelState.CHECKPOINTING || state == ChannelState.CHECKPOINT_PAUSING;
  }

  /** Pauses before the next attempt, or goes on when all attempts have failed. */
  private boolean pauseUnlessGivenUp(ChannelState trying, ChannelState pausing) {
    boolean isGivenUp = endAttempts >= END_ATTEMPTS_MAX;
    ChannelState next = isGivenUp ? trying : pausing;
    if (next != state) {
      move(next, endAttempts + " failures");
    }
    return !isGivenUp;
  }

  /** True when the channel ends without having stored its last progress. */
  public boolean isLastCheckpointGivenUp() {
    return isStoringLast() && endAttempts >= END_ATTEMPTS_MAX && progress.isNews();
  }

  /** The server has taken the channel back. */
  public void released() {
    if (state == ChannelState.RELEASE_ASKED) {
      move(ChannelState.RELEASED, "the server has taken the channel back");
    }
  }

  /**
   * The server did not take the channel back. Returns true to call {@link #endPauseOver} after a
   * pause; false when all attempts have failed.
   */
  public boolean releaseFailed() {
    if (state != ChannelState.RELEASE_ASKED) {
      return true;
    }
    endAttempts++;
    return pauseUnlessGivenUp(ChannelState.RELEASING, ChannelState.RELEASE_PAUSING);
  }

  /** The pause before a retry of the last checkpoint, or of the release, is over. */
  public void endPauseOver() {
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
          "a channel in " + state + " cannot move to " + next + ": " + reason);
    }
    state = next;
  }
}
