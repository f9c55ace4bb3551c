package io.tunnel.sdk;

import io.tunnel.model.RowChange;

/** Learns what became of a row. */
@FunctionalInterface
public interface RowCallback {

  /**
   * Called once per row, on a thread of the SDK, in the order of {@link TableWriter#add} for the
   * rows of one partition. Must not block: all partitions wait for it. What it throws is logged and
   * changes nothing.
   */
  void completed(RowChange row, RowResult result);
}
