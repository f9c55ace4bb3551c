package io.tunnel.server.replica.append;

import java.util.Optional;

/**
 * The log of partitions that many nodes append to: for each partition one sequence of records,
 * numbered by the log with rising offsets. What was appended is replicated and durable.
 */
public interface AppendLog {

  /** Receives once, by any thread, the outcome of an append. */
  @FunctionalInterface
  interface Appended {
    /**
     * The log has the record at this place. Without a place the outcome is unknown: the record is
     * in the log, or may still get there, once or twice, or never will.
     */
    void done(Optional<Placed> placed);
  }

  /**
   * Where a record is.
   *
   * @param offset the number of the record in the partition's log
   * @param timeMs when the log took the record by the log's clock, in milliseconds since 1970
   */
  record Placed(long offset, long timeMs) {}

  /**
   * Appends a record, after the records that were appended to the partition before. Returns at
   * once. A failure may leave out any record, and the next ones may be in the log without it.
   *
   * @param header as {@link AppendHeader} writes it
   * @param value the batches of the record, or its {@link AppendValue}
   */
  void append(int partition, byte[] header, byte[] value, Appended appended);

  /**
   * Whether so much is in flight that further appends may fail for lack of space. Writes are
   * refused as BUSY meanwhile, because a failed append costs the lead. May be called by any thread.
   */
  boolean isFull();
}
