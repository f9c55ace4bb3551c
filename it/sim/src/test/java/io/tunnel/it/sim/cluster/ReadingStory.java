package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.List;
import java.util.Optional;

/** A partition that somebody reads without a tunnel: which changes it was given, and how far. */
final class ReadingStory {

  private final LogTruth log;
  private long last;

  /** Nothing was given. */
  ReadingStory(LogTruth log) {
    this.log = log;
  }

  /**
   * The reader begins behind a position, which is in front of what it was given if it goes back.
   */
  void begins(long behind) {
    last = behind;
  }

  /** The reader is given records: the changes that count, in order, and none is left out. */
  void given(List<StreamRecord> records) {
    log.learn();
    for (StreamRecord record : records) {
      long position = record.position();
      Optional<Long> next = log.after(last);
      Invariant.NO_GAP.require(
          next.filter(expected -> expected == position).isPresent(),
          "a reader of partition %d is given %d behind %d, and %s is next",
          log.partition(),
          position,
          last,
          next);
      Invariant.NOTHING_UNCOMMITTED_DELIVERED.require(
          log.at(position).orElseThrow().text().equals(PartitionTruth.textOf(record)),
          "a reader of partition %d is given %s at %d",
          log.partition(),
          record,
          position);
      last = position;
    }
  }

  /** The log of the partition. */
  LogTruth log() {
    return log;
  }

  /** The position of the last delivered change, or the start position. */
  long last() {
    return last;
  }

  /** Whether it was given everything that counts. */
  boolean isDone() {
    log.learn();
    return last >= log.last();
  }

  void requireDone(long seconds) {
    Invariant.LIVENESS.require(
        isDone(),
        "%d s after the last fault, a reader of partition %d is at %d of %d",
        seconds,
        log.partition(),
        last,
        log.last());
  }

  @Override
  public String toString() {
    return "reader of partition " + log.partition() + " at " + last + " of " + log.last();
  }
}
