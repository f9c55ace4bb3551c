package io.tunnel.sdk;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.write.WriteEngine;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Buffered writer of one table: the fast path. Rows are encoded on the thread that adds them,
 * collected per partition and sent in batches; one batch per partition is under way while the next
 * one grows. Writes to one key are applied in the order in which they were added to this writer.
 * Thread-safe.
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
   * @param callback learns what became of the row, exactly once
   * @throws IllegalArgumentException when the row can never be written: it is over a limit, or its
   *     key does not match the table's. Nothing was added then
   * @throws IllegalStateException when the writer is closed, or when this was called from a
   *     callback and would have to wait
   */
  public void add(RowChange row, RowCallback callback) {
    engine.add(Objects.requireNonNull(row, "row"), Objects.requireNonNull(callback, "callback"));
  }

  /**
   * As {@link #add(RowChange, RowCallback)}, with a future of what became of the row. It never
   * fails: a row that was not applied says so in its {@link RowResult#outcome}. What depends on it
   * runs on a thread of the SDK and must not block. {@link #close} tells of rows that were not
   * applied while nothing depended on their future.
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
   * Returns when everything added before has been told its outcome.
   *
   * @throws IllegalStateException when called from a callback
   */
  public void flush() {
    engine.flush();
  }

  /** Sends what lingers as soon as its partition has no batch under way. Does not wait. */
  public void hurry() {
    engine.hurry();
  }

  /** Encoded bytes of the rows that have no outcome yet. */
  public long bufferedBytes() {
    return engine.bufferedBytes();
  }

  /**
   * Rows so far that were {@linkplain #add(RowChange) added} without a callback and not applied,
   * while nothing depended on their future.
   */
  public long unheardRows() {
    return unheard.count();
  }

  /**
   * Gives up the rows that were not sent, which are told so, returns when those that were sent have
   * outcomes, and refuses rows from then on. For callers that write the rows again anyway.
   * Idempotent.
   *
   * @throws IllegalStateException when called from a callback
   */
  public void abandon() {
    engine.abandon();
    onClose.run();
  }

  /**
   * Flushes, then refuses rows. Logs a warning when rows were not applied that were {@linkplain
   * #add(RowChange) added} without a callback, and on whose future nothing depended: how many, and
   * the first of them. Idempotent.
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
   * Rows of a writer that were not applied, and of which perhaps nobody has heard: their futures
   * may have been dropped. Thread-safe.
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

    /** What to tell people; empty when there is nothing. */
    synchronized Optional<String> text() {
      return count == 0
          ? Optional.empty()
          : Optional.of(
              "%d %s of table '%s' not applied, and nothing depended on the future that said so: %s%s"
                  .formatted(
                      count,
                      count == 1 ? "row" : "rows",
                      table,
                      count == 1 ? "" : "the first is ",
                      first));
    }
  }
}
