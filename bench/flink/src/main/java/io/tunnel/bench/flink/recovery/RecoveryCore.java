package io.tunnel.bench.flink.recovery;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Follows a job through an interruption: from its beginning to the first row of a task that was
 * opened since, and on to the moment when what such tasks saw last of every partition was fresh.
 */
final class RecoveryCore {

  private static final double NANOS_PER_MS = 1e6;

  private final int partitions;
  private final long freshMs;
  private final Map<Integer, Long> lagMsByPartition = new HashMap<>();
  private long beginNanos;
  private Optional<Long> firstNanos = Optional.empty();
  private Optional<Long> freshNanos = Optional.empty();
  private long lagMsHighest;

  /** Of a job that has not begun; a partition whose last row was no older than that is fresh. */
  RecoveryCore(int partitions, long freshMs) {
    this.partitions = partitions;
    this.freshMs = freshMs;
  }

  /** The job is interrupted, or begins. */
  void begin(long nowNanos) {
    lagMsByPartition.clear();
    beginNanos = nowNanos;
    firstNanos = Optional.empty();
    freshNanos = Optional.empty();
    lagMsHighest = 0;
  }

  /**
   * A task sees a row.
   *
   * @param openedNanos when the task was opened; one that was before the interruption counts no
   *     more
   * @param lagMs how old the row is
   */
  void seen(long openedNanos, int partition, long lagMs, long nowNanos) {
    if (openedNanos - beginNanos < 0 || freshNanos.isPresent()) {
      return;
    }
    if (firstNanos.isEmpty()) {
      firstNanos = Optional.of(nowNanos);
    }
    lagMsHighest = Math.max(lagMsHighest, lagMs);
    lagMsByPartition.put(partition, lagMs);
    if (lagMsByPartition.size() == partitions
        && lagMsByPartition.values().stream().allMatch(lag -> lag <= freshMs)) {
      freshNanos = Optional.of(nowNanos);
    }
  }

  /** Whether all partitions are fresh again. */
  boolean isFresh() {
    return freshNanos.isPresent();
  }

  /** The times since the beginning; only when it {@linkplain #isFresh is fresh} again. */
  Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("first row ms", (firstNanos.orElseThrow() - beginNanos) / NANOS_PER_MS);
    figures.put("caught up ms", (freshNanos.orElseThrow() - beginNanos) / NANOS_PER_MS);
    figures.put("oldest row ms", (double) lagMsHighest);
    return figures;
  }
}
