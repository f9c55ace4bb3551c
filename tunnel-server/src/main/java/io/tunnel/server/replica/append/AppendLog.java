package io.tunnel.server.replica.append;

import java.util.OptionalLong;

/**
 * The log of partitions that many nodes append to: for each partition one sequence of records,
 * numbered by the log with rising offsets. What was appended is replicated and durable.
 */
public interface AppendLog {

  /** Is told once, by any thread, what became of an append. */
  @FunctionalInterface
  interface Appended {
    /**
     * The record is in the log at {@code offset}. Without an offset nobody knows: the record is in
     * the log, or may still get there, once or twice, or never will.
     */
    void done(OptionalLong offset);
  }

  /**
   * Appends a record, after the records that were appended to the partition before. Returns at
   * once. A failure may leave out any record, and the next ones may be in the log without it.
   *
   * @param header as {@link AppendHeader} writes it
   * @param value the batches of the record, or its {@link AppendValue}
   */
  void append(int partition, byte[] header, byte[] value, Appended appended);
}
