package io.tunnel.sdk;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.write.WriteCall;
import io.tunnel.sdk.write.WriteEngine;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Buffered writer of one table: the fast path. The adding thread encodes a row into the batch of
 * its partition; one batch per partition is in flight while the next one grows. Writes to one key
 * are applied in the order of the calls. Thread-safe.
 */
public final class TableWriter implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TableWriter.class);

  private final WriteEngine engine;
  private final Runnable onClose;
  private final UnheardRows unheard;
  private final AtomicBoolean isReported = new AtomicBoolean();

  TableWriter(String table, WriteEngine engine, Runnable onClose) {
    this.unheard = new UnheardRows(table);
    this.engine = engine;
    this.onClose = onClose;
  }

  /**
   * Adds a row; waits while {@link TableWriterConfig#bufferBytesMax} is used up.
   *
   * @param callback receives the outcome of the row, exactly once
   * @throws IllegalArgumentException when the row can never be written: it exceeds a limit, or its
   *     key does not match the table's. Nothing was added then
   * @throws IllegalStateException when the writer is closed, or when this was called from a
   *     callback and would have to wait
   */
  public void add(RowChange row, RowCallback callback) {
    engine.add(Objects.requireNonNull(row, "row"), Objects.requireNonNull(callback, "callback"));
  }

  /**
   * As {@link #add(RowChange, RowCallback)}, with a future for the outcome of the row. The future
   * never fails: {@link RowResult#outcome} tells whether the row was applied. Dependents of the
   * future run on a thread of the SDK and must not block. {@link #close} reports failed rows whose
   * futures had no dependents.
   *
   * @throws IllegalArgumentException when the row can never be written; nothing was added then
   * @throws IllegalStateException when the writer is closed, or when this was called from a
   *     callback and would have to wait
   */
  public CompletableFuture<RowResult> add(RowChange row) {
    CompletableFuture<RowResult> outcome = new CompletableFuture<>();
    add(
        row,
        (added, result) -> {
          if (!result.isApplied() && outcome.getNumberOfDependents() == 0) {
            unheard.add(added, result);
          }
          outcome.complete(result);
        });
    return outcome;
  }

  /**
   * Adds rows of one partition that are applied together, or not at all: see {@link
   * TableClient#writeAtomically}. Waits as {@link #add(RowChange, RowCallback)} does.
   *
   * @return completes when the rows have an outcome, and never exceptionally
   * @throws IllegalStateException when the writer is closed, or when this was called from a
   *     callback and would have to wait
   */
  public CompletableFuture<BatchWriteResult> addAtomically(List<RowChange> rows) {
    return WriteCall.atomic(engine, rows);
  }

  /**
   * Returns when the callbacks of all rows added before have returned.
   *
   * @throws IllegalStateException when called from a callback
   */
  public void flush() {
    engine.flush();
  }

  /**
   * Ends the lingering of batches: they are sent as soon as their partitions have no batch in
   * flight. Does not wait.
   */
  public void hurry() {
    engine.hurry();
  }

  /** Encoded bytes of the rows that have no outcome yet. */
  public long bufferedBytes() {
    return engine.bufferedBytes();
  }

  /**
   * How many rows {@linkplain #add(RowChange) added} without a callback were not applied, while
   * their futures had no dependents.
   */
  public long unheardRows() {
    return unheard.count();
  }

  /**
   * Gives up the rows that were not sent: they get the outcome {@code NOT_SENT} soon, and so do
   * rows that are added later. Rows in flight keep their outcomes. Does not wait. Idempotent.
   */
  public void giveUp() {
    engine.giveUp();
  }

  /**
   * Gives up the rows that were not sent, with the outcome {@code NOT_SENT}; returns when the rows
   * in flight have outcomes, and refuses rows from then on. For callers that write the rows again
   * anyway. Idempotent.
   *
   * @throws IllegalStateException when called from a callback
   */
  public void abandon() {
    engine.abandon();
    onClose.run();
  }

  /**
   * Flushes, then refuses rows. Logs a warning about rows that were {@linkplain #add(RowChange)
   * added} without a callback and failed, while their futures had no dependents: how many, and the
   * first. Idempotent.
   *
   * @throws IllegalStateException when called from a callback
   */
  @Override
  public void close() {
    try {
      engine.close();
    } finally {
      onClose.run();
      if (isReported.compareAndSet(false, true)) {
        unheard.text().ifPresent(LOG::warn);
      }
    }
  }

  /**
   * Counts failed rows whose outcomes the program may have missed, because it dropped the futures.
   * Thread-safe.
   */
  static final class UnheardRows {

    private final String table;

    // Guarded by this.
    private long count;
    private String first = "";

    UnheardRows(String table) {
      this.table = table;
    }

    synchronized void add(RowChange row, RowResult result) {
      if (count == 0) {
        first = WriteFailedException.text(row, result);
      }
      count++;
    }

    synchronized long count() {
      return count;
    }

    /** The warning for people; empty without failed rows. */
    synchronized Optional<String> text() {
      return count == 0
          ? Optional.empty()
          : Optional.of(
              "%d %s of table '%s' not applied, and the program did not look at the outcome: %s%s"
                  .formatted(
                      count,
                      count == 1 ? "row" : "rows",
                      table,
                      count == 1 ? "" : "the first is ",
                      first));
    }
  }
}
