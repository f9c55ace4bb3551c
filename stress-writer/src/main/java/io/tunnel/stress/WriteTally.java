package io.tunnel.stress;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * What became of the rows of a run. Written by the threads of the SDK, read by the reporter at any
 * time.
 *
 * <p>Rows in doubt are kept until {@link #drainInDoubt}; they are no more than the writer had under
 * way when its connection broke.
 */
public final class WriteTally {

  /** Failures that are shown with their keys. */
  static final int EXAMPLES_MAX = 10;

  /** Latencies that missed rows are rounded up to. */
  private static final long MISSED_GROUPS_MAX = 1_000;

  private static final long LATENCY_MICROS_MAX = TimeUnit.HOURS.toMicros(1);

  private final LongAdder applied = new LongAdder();
  private final LongAdder appliedBytes = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder inDoubt = new LongAdder();
  private final LongAdder notSent = new LongAdder();
  private final LongAdder missed = new LongAdder();
  private final Recorder latencies = new Recorder(LATENCY_MICROS_MAX, 3);
  private final Map<RowResult.Outcome, List<String>> examples =
      new EnumMap<>(RowResult.Outcome.class);
  private final Queue<RowChange> doubtful = new ConcurrentLinkedQueue<>();

  /**
   * Rows by outcome so far.
   *
   * @param appliedBytes encoded bytes of the applied rows, about
   * @param missed rows that were due by the rate and never given to the writer, so without an
   *     outcome
   */
  public record Counts(
      long applied, long appliedBytes, long rejected, long inDoubt, long notSent, long missed) {

    /** Nothing yet. */
    public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);

    /** Rows that were surely not applied. */
    public long errors() {
      return rejected + notSent;
    }

    /** Whether every row was applied. */
    public boolean allApplied() {
      return rejected + inDoubt + notSent == 0;
    }

    /** Rows with an outcome. */
    public long rows() {
      return applied + rejected + inDoubt + notSent;
    }
  }

  /** A row has its outcome, {@code latencyNanos} after it was meant to be sent. */
  void completed(RowChange row, RowResult result, long latencyNanos) {
    switch (result.outcome()) {
      case APPLIED -> {
        applied.increment();
        appliedBytes.add(RowSize.of(row));
        long micros = Math.max(0, latencyNanos / 1_000);
        latencies.recordValue(Math.min(micros, LATENCY_MICROS_MAX));
        return;
      }
      case REJECTED -> rejected.increment();
      case NOT_SENT -> notSent.increment();
      case IN_DOUBT -> {
        doubtful.add(row);
        inDoubt.increment();
      }
    }
    example(row, result);
  }

  /**
   * Rows were due, evenly over {@code longestNanos}, and were not sent. They count in the latencies
   * with the time that they were overdue, the oldest {@code longestNanos}.
   */
  void missed(long rows, long longestNanos) {
    missed.add(rows);
    long groups = Math.min(rows, MISSED_GROUPS_MAX);
    for (long group = 0; group < groups; group++) {
      long count = rows * (group + 1) / groups - rows * group / groups;
      long micros = (long) (longestNanos / 1e3 * (groups - group) / groups);
      latencies.recordValueWithCount(Math.min(micros, LATENCY_MICROS_MAX), count);
    }
  }

  private void example(RowChange row, RowResult result) {
    synchronized (examples) {
      List<String> ofOutcome =
          examples.computeIfAbsent(result.outcome(), outcome -> new ArrayList<>());
      if (ofOutcome.size() < EXAMPLES_MAX) {
        ofOutcome.add(
            result.outcome() + " " + row.kind() + " " + row.primaryKey() + ": " + result.message());
      }
    }
  }

  /** Rows by outcome now. */
  public Counts counts() {
    return new Counts(
        applied.sum(),
        appliedBytes.sum(),
        rejected.sum(),
        inDoubt.sum(),
        notSent.sum(),
        missed.sum());
  }

  /** Latencies in microseconds since the last call; one caller. */
  Histogram intervalLatencies() {
    return latencies.getIntervalHistogram();
  }

  /** The first rows with an outcome other than applied, with the reason. */
  public List<String> examples(RowResult.Outcome outcome) {
    synchronized (examples) {
      return List.copyOf(examples.getOrDefault(outcome, List.of()));
    }
  }

  /** The rows in doubt since the last call; one caller. */
  List<RowChange> drainInDoubt() {
    List<RowChange> rows = new ArrayList<>();
    for (RowChange row = doubtful.poll(); row != null; row = doubtful.poll()) {
      rows.add(row);
    }
    return rows;
  }
}
