package io.tunnel.sdk.worker;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;

/**
 * What happens to one channel between its assignment and its end: when its processor is called and
 * with how much, which credit is given back, which position may be checkpointed, and in which order
 * it ends.
 *
 * <p>Holds {@code checkpointed <= processed <= given <= received}. Credit is conserved: what the
 * server may still send, what waits and what is being processed add up to the credit given at the
 * start, except that one delivery may overdraw it. The order of an end is: the running callback
 * returns, the processor is stopped, everything processed is checkpointed, the channel is released
 * (unless the whole session is about to be closed).
 *
 * <p>Longer than most files, because it is one machine: processing, credit, checkpoints and the end
 * share every one of its fields.
 */
final class WorkerChannelCore {

  /** Where the channel stands. */
  enum State {
    /** Assigned; a former holding in this process, or a pause, has to end first. */
    WAITING,
    /** Its processor is being made. */
    OPENING,
    /** Changes are received and processed. */
    RUNNING,
    /** It ends: the running callback is let finish. */
    DRAINING,
    /** It ends: the processor is being stopped. */
    STOPPING,
    /** It ends: the last checkpoint is being stored. */
    CHECKPOINTING,
    /** It ends: it is being given back. */
    RELEASING,
    /** It is no longer ours. */
    CLOSED;

    private Set<State> next() {
      return switch (this) {
        case WAITING -> EnumSet.of(OPENING, RELEASING);
        case OPENING -> EnumSet.of(RUNNING, DRAINING, RELEASING);
        case RUNNING -> EnumSet.of(DRAINING);
        case DRAINING -> EnumSet.of(STOPPING);
        case STOPPING -> EnumSet.of(CHECKPOINTING);
        case CHECKPOINTING -> EnumSet.of(RELEASING);
        case RELEASING -> EnumSet.of(CLOSED);
        case CLOSED -> EnumSet.noneOf(State.class);
      };
    }
  }

  /** Why a channel ends; a later one in this order takes the place of an earlier one. */
  enum Ending {
    /** It does not. */
    NONE,
    /** The worker is being shut down. */
    SHUTDOWN,
    /** The server wants it back. */
    REVOKED,
    /** The processor, or what was delivered, kept failing. */
    FAILED,
    /** Somebody else holds it already. */
    FENCED,
    /** The session is gone, and with it all its channels. */
    LOST;

    /** Whether the server still takes our word about the channel. */
    boolean isOurs() {
      return compareTo(FENCED) < 0;
    }

    /**
     * Whether the channel is given back by itself. At a shutdown the session is closed instead,
     * with all its channels: one given back before could be assigned to the same session again.
     */
    boolean isReleased() {
      return this == REVOKED || this == FAILED;
    }
  }

  /** What to do next. */
  enum Action {
    /** Wait for the next event, or for {@link #checkpointDueNanos}. */
    WAIT,
    /** Call {@link #begin} and process that many deliveries. */
    PROCESS,
    /** Store {@link #beginCheckpoint}'s position. */
    CHECKPOINT,
    /** Stop the processor. */
    STOP_PROCESSOR,
    /** Give the channel back. */
    RELEASE,
    /** Forget it. */
    CLOSE
  }

  /**
   * What a channel may use.
   *
   * @param creditBytes given at the start
   * @param processRowsMax rows of one input at most, unless a single delivery has more
   * @param processBytesMax bytes of one input at most, unless a single delivery has more
   * @param attemptsMax how often an input is tried in all
   * @param checkpointNanos between two checkpoints; 0 when the processor checkpoints by itself
   */
  record Limits(
      int creditBytes,
      int processRowsMax,
      int processBytesMax,
      int attemptsMax,
      long checkpointNanos) {
    boolean checkpointsByItself() {
      return checkpointNanos > 0;
    }
  }

  private record Waiting(long last, int rows, int bytes) {}

  private static final int FINAL_CHECKPOINT_ATTEMPTS_MAX = 5;
  private static final long NO_POSITION = -1;

  private final Limits limits;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private State state = State.WAITING;
  private Ending ending = Ending.NONE;
  private long checkpointed;
  private long processed;
  private long given;
  private long received;
  private long creditLeft;
  private int waitingBytes;
  private int processingBytes;
  private boolean isProcessing;
  private boolean isPausing;
  private int attempts;
  private long checkpointing = NO_POSITION;
  private long lastCheckpointNanos;
  private int finalCheckpointAttempts;
  private boolean isReleasing;
  private boolean isReleased;

  WorkerChannelCore(Limits limits, long checkpointed) {
    this.limits = limits;
    this.checkpointed = checkpointed;
    this.processed = checkpointed;
    this.given = checkpointed;
    this.received = checkpointed;
  }

  State state() {
    return state;
  }

  Ending ending() {
    return ending;
  }

  long checkpointed() {
    return checkpointed;
  }

  long processed() {
    return processed;
  }

  /** The last position that the processor was given. */
  long given() {
    return given;
  }

  /** Bytes delivered and not processed. */
  int bufferedBytes() {
    return waitingBytes + processingBytes;
  }

  /** Attempts at the present input that failed. */
  int attempts() {
    return attempts;
  }

  /** The processor is being made. */
  void opening() {
    move(State.OPENING, "its turn");
  }

  /** The processor is there. Returns the credit to give, 0 when the channel has ended meanwhile. */
  int opened(long nowNanos) {
    lastCheckpointNanos = nowNanos;
    if (ending != Ending.NONE) {
      move(State.DRAINING, ending);
      return 0;
    }
    move(State.RUNNING, "opened");
    creditLeft = limits.creditBytes();
    return limits.creditBytes();
  }

  /** The processor could not be made: there is nothing to drain, stop or checkpoint. */
  void openFailed() {
    raise(Ending.FAILED);
    move(State.RELEASING, "no processor");
  }

  /**
   * A delivery of {@code rows} rows at {@code first} to {@code last} has arrived. Returns whether
   * it is to be kept: a channel that ends drops it.
   *
   * @throws IllegalStateException when the server sent it out of order or without credit
   */
  boolean delivered(long first, long last, int rows, int bytes) {
    if (state != State.RUNNING) {
      return false;
    }
    if (first <= received || last < first) {
      throw new IllegalStateException(
          "positions " + first + " to " + last + " were delivered after " + received);
    }
    if (creditLeft <= 0) {
      throw new IllegalStateException(
          bytes + " bytes were delivered with a credit of " + creditLeft + " bytes");
    }
    creditLeft -= bytes;
    received = last;
    waitingBytes += bytes;
    waiting.add(new Waiting(last, rows, bytes));
    return true;
  }

  /** What to do next; asked again after every event and every action. */
  Action next(long nowNanos) {
    return switch (state) {
      case WAITING, OPENING -> Action.WAIT;
      case RUNNING -> nextRunning(nowNanos);
      case DRAINING -> {
        if (isProcessing) {
          yield Action.WAIT;
        }
        move(State.STOPPING, ending);
        yield Action.STOP_PROCESSOR;
      }
      case STOPPING -> Action.WAIT;
      case CHECKPOINTING -> nextCheckpointing();
      case RELEASING -> nextReleasing();
      case CLOSED -> Action.WAIT;
    };
  }

  private Action nextRunning(long nowNanos) {
    if (!isProcessing && !waiting.isEmpty()) {
      return Action.PROCESS;
    }
    boolean isDue = hasProgress() && nowNanos - checkpointDueNanos() >= 0;
    return isDue && checkpointing == NO_POSITION ? Action.CHECKPOINT : Action.WAIT;
  }

  private Action nextCheckpointing() {
    if (checkpointing != NO_POSITION && ending.isOurs()) {
      return Action.WAIT;
    }
    boolean giveUp = finalCheckpointAttempts >= FINAL_CHECKPOINT_ATTEMPTS_MAX;
    if (hasProgress() && ending.isOurs() && !giveUp) {
      return isPausing ? Action.WAIT : Action.CHECKPOINT;
    }
    move(State.RELEASING, ending);
    return nextReleasing();
  }

  private Action nextReleasing() {
    if (!ending.isReleased() || isReleased) {
      move(State.CLOSED, ending);
      return Action.CLOSE;
    }
    if (isReleasing) {
      return Action.WAIT;
    }
    isReleasing = true;
    return Action.RELEASE;
  }

  private boolean hasProgress() {
    return limits.checkpointsByItself() && processed > checkpointed;
  }

  /** Whether a checkpoint will be due though nothing else happens. */
  boolean awaitsCheckpoint() {
    return state == State.RUNNING && hasProgress() && checkpointing == NO_POSITION;
  }

  /** When the next checkpoint is due, if there is progress. */
  long checkpointDueNanos() {
    return lastCheckpointNanos + limits.checkpointNanos();
  }

  /** Takes the next deliveries to process: returns how many, oldest first. */
  int begin() {
    if (isProcessing || waiting.isEmpty() || state != State.RUNNING) {
      throw new IllegalStateException(
          "nothing to begin: " + state + ", processing " + isProcessing);
    }
    int count = 0;
    long rows = 0;
    long bytes = 0;
    while (!waiting.isEmpty()) {
      Waiting next = waiting.peek();
      boolean isOver =
          rows + next.rows() > limits.processRowsMax()
              || bytes + next.bytes() > limits.processBytesMax();
      if (count > 0 && isOver) {
        break;
      }
      waiting.remove();
      count++;
      rows += next.rows();
      bytes += next.bytes();
      given = next.last();
    }
    waitingBytes -= (int) bytes;
    processingBytes = (int) bytes;
    isProcessing = true;
    attempts = 0;
    return count;
  }

  /** What was begun is processed. Returns the credit to give back, 0 when the channel ends. */
  int processingDone() {
    requireProcessing();
    processed = given;
    isProcessing = false;
    int bytes = processingBytes;
    processingBytes = 0;
    if (state != State.RUNNING) {
      return 0;
    }
    creditLeft += bytes;
    return bytes;
  }

  /** The processor threw. Returns whether to try the same again after a pause. */
  boolean failed() {
    requireProcessing();
    attempts++;
    if (state == State.RUNNING && attempts < limits.attemptsMax()) {
      isPausing = true;
      return true;
    }
    isProcessing = false;
    processingBytes = 0;
    given = processed;
    end(Ending.FAILED);
    return false;
  }

  /** The pause before another attempt is over. Returns whether to try. */
  boolean pauseOver() {
    boolean wasPausing = isPausing;
    isPausing = false;
    return wasPausing && isProcessing;
  }

  private void requireProcessing() {
    if (!isProcessing) {
      throw new IllegalStateException("nothing is being processed in state " + state);
    }
  }

  /** The channel ends: what has not begun is dropped. */
  void end(Ending reason) {
    raise(reason);
    waiting.clear();
    waitingBytes = 0;
    if (isPausing && isProcessing) {
      isPausing = false;
      isProcessing = false;
      processingBytes = 0;
      given = processed;
    }
    if (state == State.RUNNING) {
      move(State.DRAINING, reason);
    } else if (state == State.WAITING) {
      move(State.RELEASING, reason);
    }
  }

  private void raise(Ending reason) {
    if (reason.compareTo(ending) > 0) {
      ending = reason;
    }
  }

  /** The processor is stopped. */
  void processorStopped() {
    move(State.CHECKPOINTING, "the processor is stopped");
  }

  /** A checkpoint is being stored; returns its position. */
  long beginCheckpoint(long nowNanos) {
    if (checkpointing != NO_POSITION) {
      throw new IllegalStateException("a checkpoint at " + checkpointing + " is under way");
    }
    checkpointing = processed;
    lastCheckpointNanos = nowNanos;
    return processed;
  }

  /** The checkpoint under way is stored. */
  void checkpointStored() {
    stored(checkpointing);
    checkpointing = NO_POSITION;
  }

  /** A checkpoint that the processor asked for is stored. */
  void stored(long position) {
    checkpointed = Math.max(checkpointed, position);
  }

  /** The checkpoint under way was not stored. Returns whether to call {@link #pauseOver} later. */
  boolean checkpointFailed(boolean isRetriable) {
    checkpointing = NO_POSITION;
    if (state != State.CHECKPOINTING) {
      return false;
    }
    finalCheckpointAttempts = isRetriable ? finalCheckpointAttempts + 1 : Integer.MAX_VALUE;
    isPausing = finalCheckpointAttempts < FINAL_CHECKPOINT_ATTEMPTS_MAX;
    return isPausing;
  }

  /** The server has taken the channel back, or has refused to. */
  void released() {
    isReleased = true;
  }

  private void move(State next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a channel that is " + state + " cannot be " + next + ": " + reason);
    }
    state = next;
  }
}
