package io.tunnel.sdk;

import io.tunnel.model.RowChange;

/** Receives the outcome of a row. */
@FunctionalInterface
public interface RowCallback {

  /**
   * Called once per row, on a thread of the SDK, in the order of {@link TableWriter#add} for the
   * rows of one partition. Must not block: all partitions wait for the callback. The SDK logs an
   * exception and goes on.
   */
  void completed(RowChange row, RowResult result);
}
