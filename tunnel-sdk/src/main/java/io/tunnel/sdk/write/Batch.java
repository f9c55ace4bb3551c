package io.tunnel.sdk.write;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.write.LaneCore.Misrouted;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Rows of one partition that are sent together. While it grows it belongs to its lane's lock; once
 * closed, to the thread that took it from the lane's queue.
 */
final class Batch {

  private static final ByteBuffer NOT_BUILT = ByteBuffer.allocate(0);

  private final List<RowChange> rows;
  private final List<RowCallback> callbacks;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final long startedNanos;
  private BatchBuilder builder;
  private int encodedBytes;
  private ByteBuffer payload = NOT_BUILT;

  /** Words that its rows, or those of the batch that they were in before, belong elsewhere. */
  private Optional<Misrouted> misrouted;

  /** Whether it is to be sent as soon as its lane is free, however young it is. */
  private boolean isDue;

  /** How large a batch is expected to become: what it grows into is not copied then. */
  record Size(int rows, int bytes) {}

  Batch(
      List<PrimaryKeySchema> schema, Size guess, Optional<Misrouted> misrouted, long startedNanos) {
    this.rows = new ArrayList<>(guess.rows());
    this.callbacks = new ArrayList<>(guess.rows());
    this.builder = new BatchBuilder(schema, guess.bytes());
    this.encodedBytes = builder.byteCount();
    this.misrouted = misrouted;
    this.startedNanos = startedNanos;
  }

  /**
   * Adds a row; returns the bytes that it takes, or -1 when the batch has no room for it.
   *
   * @throws IllegalArgumentException when the row can never be written; the batch is as it was
   */
  int add(RowChange row, RowCallback callback) {
    if (!builder.add(row)) {
      return -1;
    }
    rows.add(row);
    callbacks.add(callback);
    int before = encodedBytes;
    encodedBytes = builder.byteCount();
    // The header counts with the first row.
    return rows.size() == 1 ? encodedBytes : encodedBytes - before;
  }

  /** Encodes the batch; no row can be added any more. */
  void close(int partition) {
    payload = builder.finish(partition);
    builder = null;
  }

  /** The encoded batch, to be read. */
  ByteBuffer payload() {
    return payload.duplicate();
  }

  int rowCount() {
    return rows.size();
  }

  RowChange row(int index) {
    return rows.get(index);
  }

  RowCallback callback(int index) {
    return callbacks.get(index);
  }

  /** What the budget was charged for it. */
  int encodedBytes() {
    return rows.isEmpty() ? 0 : encodedBytes;
  }

  long startedNanos() {
    return startedNanos;
  }

  Optional<Misrouted> misrouted() {
    return misrouted;
  }

  void misroutedAt(long nowNanos) {
    misrouted = Optional.of(misrouted.map(Misrouted::again).orElse(Misrouted.first(nowNanos)));
  }

  boolean isDue() {
    return isDue;
  }

  void makeDue() {
    isDue = true;
  }

  /** Completes when every row's callback has returned. */
  CompletableFuture<Void> done() {
    return done;
  }
}
