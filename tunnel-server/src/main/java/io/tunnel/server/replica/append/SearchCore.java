package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendTail.Stored;
import java.util.List;
import java.util.Optional;

/**
 * Finds a record of a log by reading at chosen offsets: binary search for the first record that is
 * not before a goal. Offsets may have gaps, and records that do not count are passed over.
 *
 * <p>Invariants while the search continues:
 *
 * <ol>
 *   <li>every usable record before {@code low} is before the goal, and every usable record at or
 *       after {@code high} is not;
 *   <li>{@code found} is the first usable record at or after {@code high}, if one was read;
 *   <li>no usable record is in {@code [max(probe, low), next)}.
 * </ol>
 *
 * <p>Each step halves the distance of low and high, or passes over records that say nothing.
 */
final class SearchCore {

  private long low;
  private long high;
  private long probe;
  private long next;
  private boolean isDone;
  private Optional<Stored> found = Optional.empty();

  /** What a record says of the goal. */
  enum Side {
    /** The goal is after the record. */
    BEFORE,
    /** The goal is the record, or between the last record before and this one. */
    AFTER,
    /** The goal is the record. */
    EXACT,
    /** The record does not count, or says nothing. */
    UNUSABLE
  }

  /** What is searched. Usable records rise. */
  @FunctionalInterface
  interface Goal {
    Side side(Stored record);
  }

  /**
   * A search among the offsets from {@code low} to before {@code high}.
   *
   * @param isNear whether the goal is probably close to {@code low}
   */
  SearchCore(long low, long high, boolean isNear) {
    this.low = low;
    this.high = high;
    begin(isNear ? low : middle());
  }

  private long middle() {
    return low + (high - low) / 2;
  }

  private void begin(long offset) {
    isDone = low >= high;
    probe = offset;
    next = offset;
  }

  /** The offset to read from. */
  long next() {
    return next;
  }

  /** Whether {@link #found} is the answer. */
  boolean isDone() {
    return isDone;
  }

  /** The first record that is not before the goal; empty when all records are before. */
  Optional<Stored> found() {
    return found;
  }

  /** The offset after all records that the search could find. */
  long last() {
    return Math.max(low, high);
  }

  /**
   * Takes what was read from {@link #next} on.
   *
   * @param readTo the tail has read all records before this offset
   */
  void read(List<Stored> records, long readTo, Goal goal) {
    long from = next;
    for (Stored record : records) {
      if (isDone || record.offset() >= high) {
        break;
      }
      switch (goal.side(record)) {
        case UNUSABLE -> {}
        case BEFORE -> low = record.offset() + 1;
        case EXACT -> {
          found = Optional.of(record);
          isDone = true;
        }
        case AFTER -> {
          found = Optional.of(record);
          nothingBetween();
          return;
        }
      }
    }
    if (!isDone) {
      passed(from, readTo);
    }
  }

  /** From the probe up to the record that was found, or to high, is no other usable record. */
  private void nothingBetween() {
    if (probe <= low) {
      isDone = true;
    } else {
      high = probe;
      begin(middle());
    }
  }

  private void passed(long from, long readTo) {
    if (readTo >= high) {
      nothingBetween();
    } else if (probe > low || high - readTo <= readTo - from) {
      next = readTo;
      low = probe > low ? low : readTo;
    } else {
      low = readTo;
      begin(middle());
    }
  }

  /** The log begins at {@code first} now. */
  void trimmed(long first) {
    low = Math.max(low, first);
    begin(low);
  }
}
