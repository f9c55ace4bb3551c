package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Decides what happens to the batch at the head of a partition's queue. At most one batch is under
 * way, and none is sent while an older one may still be sent again: that is what keeps the writes
 * to a key in order.
 *
 * <p>Retries end {@code retryNanos} after the first failure since the last answer that was not one,
 * so that batches which queued up behind an unreachable server do not each wait that long. A batch
 * that is sent more than {@code retryNanos} after the last failure did not queue up behind it, and
 * has all its retries. A word to go elsewhere is followed once for each batch even then: it costs
 * no time.
 *
 * <p>Rows that were sent to the wrong partition are sent where a new partition map has them, for as
 * long after the first such word: a map may be older than the word that led to its reading.
 */
final class LaneCore {

  /** What the head batch is doing. */
  enum State {
    /** There is none. */
    IDLE,
    /** It was sent and is not answered. */
    IN_FLIGHT,
    /** It was not applied and waits to be sent again. */
    PAUSED,
    /** It was sent to the wrong partition and waits for the new partition map. */
    MISROUTED;

    private Set<State> next() {
      return switch (this) {
        case IDLE -> EnumSet.of(IN_FLIGHT);
        case IN_FLIGHT -> EnumSet.of(IDLE, PAUSED, MISROUTED);
        case PAUSED -> EnumSet.of(IN_FLIGHT, IDLE);
        case MISROUTED -> EnumSet.of(IN_FLIGHT, IDLE);
      };
    }
  }

  /**
   * Words that a batch's rows belong elsewhere.
   *
   * @param times how many there were, at least 1
   * @param sinceNanos when the first came
   */
  record Misrouted(int times, long sinceNanos) {
    Misrouted {
      if (times < 1) {
        throw new IllegalArgumentException("misrouted " + times + " times");
      }
    }

    static Misrouted first(long nowNanos) {
      return new Misrouted(1, nowNanos);
    }

    Misrouted again() {
      return new Misrouted(times + 1, sinceNanos);
    }
  }

  /** Why a batch has no result. */
  sealed interface Failure {

    /**
     * The server refused the whole batch.
     *
     * @param isSentOn whether it said who else is to be asked
     */
    record Refused(ErrorCode code, boolean isSentOn) implements Failure {
      Refused(ErrorCode code) {
        this(code, false);
      }
    }

    /** It did not reach the server whole. */
    record NotSent() implements Failure {}

    /** It was not applied, and is not to be sent again: nobody wants it, or no waiting helps. */
    record Abandoned() implements Failure {}

    /** It was sent, and no answer came. */
    record Unanswered() implements Failure {}
  }

  /** What to do with the batch. */
  enum Verdict {
    /** Send it again after a pause that grows with {@link LaneCore#failures}. */
    RETRY,
    /** Report its rows as not sent. */
    GIVE_UP,
    /** Report its rows as in doubt. */
    DOUBT,
    /** Report its rows as rejected. */
    REJECT,
    /** Send its halves one after the other, so that a bad row fails alone. */
    SPLIT,
    /** Read the partition map again and send its rows where they belong. */
    REROUTE
  }

  /** The server failed before the answer. */
  private static final Set<ErrorCode> DOUBTFUL =
      EnumSet.of(ErrorCode.STORAGE_FAILED, ErrorCode.INTERNAL);

  /** The rows belong elsewhere. */
  private static final Set<ErrorCode> ELSEWHERE =
      EnumSet.of(ErrorCode.WRONG_PARTITION, ErrorCode.TABLE_NOT_FOUND);

  /** Refusals of a batch for which one of its rows may be the reason. */
  private static final Set<ErrorCode> OF_SOME_ROWS =
      EnumSet.of(
          ErrorCode.KEY_MISMATCH,
          ErrorCode.ROW_TOO_LARGE,
          ErrorCode.BATCH_TOO_LARGE,
          ErrorCode.INVALID_REQUEST);

  private final long retryNanos;
  private State state = State.IDLE;
  private int failures;
  private boolean wasSentOn;

  /** When the first of the {@link #failures} came; counts while there are any. */
  private long troubleSinceNanos;

  /** When the last of the {@link #failures} came; counts while there are any. */
  private long failedNanos;

  LaneCore(long retryNanos) {
    this.retryNanos = retryNanos;
  }

  State state() {
    return state;
  }

  /** Failures in a row that were worth a retry. */
  int failures() {
    return failures;
  }

  /** The head batch is being sent. */
  void sent(long nowNanos) {
    if (state == State.IDLE && nowNanos - failedNanos > retryNanos) {
      failures = 0;
    }
    move(State.IN_FLIGHT, "sent");
  }

  /** The head batch has a result and is gone. */
  void answered() {
    move(State.IDLE, "answered");
    failures = 0;
    wasSentOn = false;
  }

  /** The first rows of the head batch have results; the others are the head now. */
  void progressed() {
    if (state != State.IN_FLIGHT) {
      throw new IllegalStateException("a lane that is " + state + " has made progress");
    }
    failures = 0;
    wasSentOn = false;
  }

  /** The head batch was taken away before it was sent again. */
  void taken() {
    if (state == State.IN_FLIGHT) {
      throw new IllegalStateException("a batch in flight cannot be taken away");
    }
    if (state != State.IDLE) {
      move(State.IDLE, "taken");
      wasSentOn = false;
    }
  }

  /**
   * The head batch of {@code rows} rows failed.
   *
   * @param before words before this one that its rows belong elsewhere
   */
  Verdict failed(Failure failure, int rows, Optional<Misrouted> before, long nowNanos) {
    Verdict verdict = verdict(failure, rows, before, nowNanos);
    switch (verdict) {
      case RETRY -> move(State.PAUSED, failure);
      case REROUTE -> move(State.MISROUTED, failure);
      case SPLIT, REJECT, GIVE_UP, DOUBT -> move(State.IDLE, failure);
    }
    if (verdict != Verdict.RETRY) {
      wasSentOn = false;
    }
    if (verdict != Verdict.RETRY && verdict != Verdict.GIVE_UP) {
      failures = 0;
    }
    return verdict;
  }

  private Verdict verdict(Failure failure, int rows, Optional<Misrouted> before, long nowNanos) {
    if (failure instanceof Failure.Unanswered) {
      return Verdict.DOUBT;
    }
    if (failure instanceof Failure.Abandoned) {
      return Verdict.GIVE_UP;
    }
    if (failure instanceof Failure.Refused refused && !refused.code().retriable()) {
      boolean mayReroute = before.isEmpty() || nowNanos - before.get().sinceNanos() < retryNanos;
      return refusal(refused.code(), rows, mayReroute);
    }
    if (failures == 0) {
      troubleSinceNanos = nowNanos;
    }
    failedNanos = nowNanos;
    failures++;
    boolean isFollowed =
        failure instanceof Failure.Refused refused && refused.isSentOn() && !wasSentOn;
    wasSentOn |= isFollowed;
    return isFollowed || nowNanos - troubleSinceNanos < retryNanos
        ? Verdict.RETRY
        : Verdict.GIVE_UP;
  }

  private static Verdict refusal(ErrorCode code, int rows, boolean mayReroute) {
    if (DOUBTFUL.contains(code)) {
      return Verdict.DOUBT;
    }
    if (ELSEWHERE.contains(code)) {
      return mayReroute ? Verdict.REROUTE : Verdict.GIVE_UP;
    }
    return OF_SOME_ROWS.contains(code) && rows > 1 ? Verdict.SPLIT : Verdict.REJECT;
  }

  private void move(State next, Object reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "a lane that is " + state + " cannot be " + next + ": " + reason);
    }
    state = next;
  }
}
