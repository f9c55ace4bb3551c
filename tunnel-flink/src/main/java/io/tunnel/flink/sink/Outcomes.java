package io.tunnel.flink.sink;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outcomes of the rows of one writer: the SDK's thread reports them, the task's thread reads
 * them. This object's lock guards uncertain and failed rows; nearly all rows are applied without
 * trouble, and need no lock.
 */
final class Outcomes implements RowCallback {

  private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);

  /** Errors of a single row, not of the table or the service. */
  private static final Set<ErrorCode> OF_THE_ROW =
      EnumSet.of(
          ErrorCode.INVALID_REQUEST,
          ErrorCode.KEY_MISMATCH,
          ErrorCode.ROW_TOO_LARGE,
          ErrorCode.BATCH_TOO_LARGE);

  /** A row and its outcome. */
  record Told(RowChange row, RowResult result) {}

  private final RejectedRows policy;
  private final SinkFigures figures;
  private final AtomicLong undecided = new AtomicLong();
  private final RepeatCore repeats = new RepeatCore();

  /** Whether {@link #repeats} has changes. */
  private volatile boolean hasRepeats;

  /** The first row that fails the job; null without one. */
  private volatile Told failure;

  /** The first row that needs a repetition; null without one. */
  private Told firstUncertain;

  private volatile Doorbell doorbell;

  Outcomes(RejectedRows policy, SinkWriterMetricGroup metrics) {
    this.policy = policy;
    this.figures = new SinkFigures(metrics);
  }

  /** Sets the bell to ring, before the first row. */
  void wakes(Doorbell bell) {
    this.doorbell = bell;
  }

  /** Counts a row whose outcome is pending. */
  void expect() {
    undecided.incrementAndGet();
  }

  @Override
  public void completed(RowChange row, RowResult result) {
    boolean isWell =
        switch (result.outcome()) {
          case APPLIED -> applied(row);
          case IN_DOUBT, NOT_SENT -> uncertain(row, result);
          case REJECTED -> rejected(row, result);
        };
    boolean isLast = undecided.decrementAndGet() == 0;
    if (isWell && !(isLast && hasRepeats)) {
      doorbell.ringIfAwaited();
    } else {
      doorbell.ring();
    }
  }

  private boolean applied(RowChange row) {
    figures.applied();
    if (hasRepeats) {
      synchronized (this) {
        repeats.applied(row);
      }
    }
    return true;
  }

  private synchronized boolean uncertain(RowChange row, RowResult result) {
    if (firstUncertain == null) {
      firstUncertain = new Told(row, result);
    }
    repeats.uncertain(row);
    hasRepeats = true;
    return false;
  }

  private synchronized boolean rejected(RowChange row, RowResult result) {
    Optional<ErrorCode> code = result.error();
    if (code.isPresent() && code.get() == ErrorCode.CONDITION_FAILED) {
      figures.unmet();
      return true;
    }
    figures.rejected();
    boolean isOfTheRow = code.isPresent() && OF_THE_ROW.contains(code.get());
    if (policy == RejectedRows.SKIP && isOfTheRow) {
      LOG.warn("{} of row {} was rejected, and skipped: {}", row.kind(), row.primaryKey(), result);
      return true;
    }
    if (failure == null) {
      failure = new Told(row, result);
    }
    return false;
  }

  /** Rows without an outcome. */
  long undecided() {
    return undecided.get();
  }

  /**
   * Whether every row has an outcome, and none has to be repeated or fails the job. Reads the count
   * first: {@link #completed} changes it last, so no outcome is missed.
   */
  boolean areAllSettled() {
    return undecided.get() == 0 && !hasRepeats && failure == null;
  }

  boolean hasRepeats() {
    return hasRepeats;
  }

  Optional<Told> failure() {
    return Optional.ofNullable(failure);
  }

  /** The first row that needs a repetition since the last {@link #takeRepeats}. */
  synchronized Optional<Told> firstUncertain() {
    return Optional.ofNullable(firstUncertain);
  }

  /** Takes the changes to repeat, in order. */
  synchronized List<RowChange> takeRepeats() {
    List<RowChange> rows = repeats.take();
    hasRepeats = false;
    firstUncertain = null;
    figures.repeated(rows.size());
    return rows;
  }
}
