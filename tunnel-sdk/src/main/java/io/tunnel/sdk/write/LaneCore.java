package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Decides the fate of the batch at the head of a partition's queue. Writes to a key stay in order
 * because at most one batch is in flight, and no batch is sent while an older one may be retried.
 *
 * <p>Retries end {@code retryNanos} after the first failure since the last success, so that batches
 * that queued up behind an unreachable server do not each wait so long. A batch that is sent more
 * than {@code retryNanos} after the last failure did not queue up, and has all its retries. A
 * redirect to another leader is followed once per batch even after the end of the retries: it costs
 * no time.
 *
 * <p>Rows that were sent to the wrong partition are re-routed by a new partition map, for {@code
 * retryNanos} after the first such refusal: a map may be older than the refusal.
 */
final class LaneCore {

  /** The state of the head batch. */
  enum State {
    /** There is no head. */
    IDLE,
    /** Sent, and not answered. */
    IN_FLIGHT,
    /** Not applied; waits for a retry. */
    PAUSED,
    /** Sent to the wrong partition; waits for a new partition map. */
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
   * Refusals of a batch as sent to the wrong partition.
   *
   * @param times how many in a row, at least 1
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

  /**
   * The head batch.
   *
   * @param rows how many rows may be sent apart from each other
   * @param before earlier refusals of the batch as sent to the wrong partition
   * @param isNumbered whether the server recognises a repetition of the batch
   * @param isInDoubt whether an earlier attempt may have been applied
   */
  record Head(int rows, Optional<Misrouted> before, boolean isNumbered, boolean isInDoubt) {}

  /** Why a batch has no result. */
  sealed interface Failure {

    /**
     * The server refused the whole batch.
     *
     * @param isSentOn whether the refusal named another leader
     */
    record Refused(ErrorCode code, boolean isSentOn) implements Failure {
      Refused(ErrorCode code) {
        this(code, false);
      }
    }

    /** The batch did not reach the server whole. */
    record NotSent() implements Failure {}

    /**
     * The batch was not applied, and is not retried: the writer was closed, or a retry cannot help.
     */
    record Abandoned() implements Failure {}

    /** The batch was sent, and no answer came that says whether it was applied. */
    record Unanswered() implements Failure {}
  }

  /** What to do with a failed batch. */
  enum Verdict {
    /** Retry after a pause that grows with {@link LaneCore#failures}. */
    RETRY,
    /** Report its rows as not sent. */
    GIVE_UP,
    /** Report its rows as in doubt. */
    DOUBT,
    /** Report its rows as rejected. */
    REJECT,
    /** Send the two halves one after the other, so that a bad row fails alone. */
    SPLIT,
    /** Read the partition map again, and send the rows to their partitions. */
    REROUTE
  }

  /** The server does not know the outcome. */
  private static final Set<ErrorCode> DOUBTFUL =
      EnumSet.of(ErrorCode.STORAGE_FAILED, ErrorCode.OUTCOME_UNKNOWN, ErrorCode.INTERNAL);

  /** The rows belong to another partition or table. */
  private static final Set<ErrorCode> ELSEWHERE =
      EnumSet.of(ErrorCode.WRONG_PARTITION, ErrorCode.TABLE_NOT_FOUND);

  /** Refusals of a batch that a single row may have caused. */
  private static final Set<ErrorCode> OF_SOME_ROWS =
      EnumSet.of(
          ErrorCode.KEY_MISMATCH,
          ErrorCode.ROW_TOO_LARGE,
          ErrorCode.BATCH_TOO_LARGE,
          ErrorCode.INVALID_REQUEST);

  /**
   * A node of a cluster that has not heard of its level refuses numbers; it hears of the level
   * soon. After so many failures in a row the refusal is of another feature of the batch.
   */
  private static final int LEVEL_ATTEMPTS_MAX = 8;

  /** Whether a refusal is final for a batch: neither the service's own trouble nor retriable. */
  static boolean isOfBatch(ErrorCode code) {
    return !code.retriable() && !DOUBTFUL.contains(code);
  }

  private final long retryNanos;
  private State state = State.IDLE;
  private int failures;
  private boolean wasSentOn;

  /** Whether the last failure came behind the deadline of the retries, or ended them. */
  private boolean isLate;

  /** When the first of the {@link #failures} came; valid while {@code failures > 0}. */
  private long troubleSinceNanos;

  /** When the last of the {@link #failures} came; valid while {@code failures > 0}. */
  private long failedNanos;

  LaneCore(long retryNanos) {
    this.retryNanos = retryNanos;
  }

  State state() {
    return state;
  }

  /** Retriable failures in a row. */
  int failures() {
    return failures;
  }

  /**
   * Whether the last head was given up because its retries lasted too long, and rows that wait
   * since {@code sinceNanos} have waited as long: an attempt of each batch would take its time
   * again.
   */
  boolean isLate(long sinceNanos, long nowNanos) {
    return isLate && failures > 0 && nowNanos - sinceNanos >= retryNanos;
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
    isLate = false;
    wasSentOn = false;
  }

  /** The first rows of the head batch have results; the remaining rows are the head now. */
  void progressed() {
    if (state != State.IN_FLIGHT) {
      throw new IllegalStateException("a lane that is " + state + " has made progress");
    }
    failures = 0;
    wasSentOn = false;
  }

  /** The head batch was taken away while it waited. */
  void taken() {
    if (state == State.IN_FLIGHT) {
      throw new IllegalStateException("a batch in flight cannot be taken away");
    }
    if (state != State.IDLE) {
      move(State.IDLE, "taken");
      wasSentOn = false;
    }
  }

  /** The head batch is gone, whatever became of it. */
  void dropped() {
    if (state != State.IDLE) {
      move(State.IDLE, "dropped");
    }
    wasSentOn = false;
  }

  /** The head batch failed. */
  Verdict failed(Failure failure, Head head, long nowNanos) {
    Verdict verdict = verdict(failure, head, nowNanos);
    switch (verdict) {
      case RETRY -> move(State.PAUSED, failure);
      case REROUTE -> move(State.MISROUTED, failure);
      case SPLIT, REJECT, GIVE_UP, DOUBT -> move(State.IDLE, failure);
    }
    if (verdict != Verdict.RETRY) {
      wasSentOn = false;
    }
    if (verdict != Verdict.RETRY && verdict != Verdict.GIVE_UP && !isLate) {
      failures = 0;
    }
    return verdict;
  }

  private Verdict verdict(Failure failure, Head head, long nowNanos) {
    isLate = failure instanceof Failure.Abandoned;
    Verdict verdict = verdictOfAttempt(failure, head, nowNanos);
    // Whatever is said of this attempt, an earlier one may have been applied.
    return head.isInDoubt() && verdict != Verdict.RETRY ? Verdict.DOUBT : verdict;
  }

  private Verdict verdictOfAttempt(Failure failure, Head head, long nowNanos) {
    if (failure instanceof Failure.Unanswered) {
      return head.isNumbered() && retry(failure, nowNanos) == Verdict.RETRY
          ? Verdict.RETRY
          : Verdict.DOUBT;
    }
    if (failure instanceof Failure.Abandoned) {
      return Verdict.GIVE_UP;
    }
    if (failure instanceof Failure.Refused refused && !refused.code().retriable()) {
      boolean mayBeOfLevel = refused.code() == ErrorCode.FEATURE_NOT_ENABLED && head.isNumbered();
      if (mayBeOfLevel && failures < LEVEL_ATTEMPTS_MAX) {
        return retry(failure, nowNanos);
      }
      Optional<Misrouted> before = head.before();
      boolean mayReroute = before.isEmpty() || nowNanos - before.get().sinceNanos() < retryNanos;
      return refusal(refused.code(), head.rows(), mayReroute);
    }
    return retry(failure, nowNanos);
  }

  private Verdict retry(Failure failure, long nowNanos) {
    if (failures == 0) {
      troubleSinceNanos = nowNanos;
    }
    failedNanos = nowNanos;
    failures++;
    boolean isFollowed =
        failure instanceof Failure.Refused refused && refused.isSentOn() && !wasSentOn;
    wasSentOn |= isFollowed;
    isLate = !isFollowed && nowNanos - troubleSinceNanos >= retryNanos;
    return isLate ? Verdict.GIVE_UP : Verdict.RETRY;
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
