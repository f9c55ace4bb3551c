package io.tunnel.server.partition.judge;

import io.tunnel.server.table.Expiry;

/**
 * Up to when stored rows that a write is evaluated against are alive.
 *
 * @param expiry of the rows of the write's partition
 * @param momentMicros the time of the evaluation
 */
public record AliveAt(Expiry expiry, long momentMicros) {

  /** Rows do not expire, or none of the partition has by now. */
  public static final AliveAt EVER = new AliveAt(Expiry.NEVER, 0);

  /** Whether a row that was committed then has expired. */
  boolean isOver(long commitMicros) {
    return expiry.isOver(commitMicros, momentMicros);
  }
}
