package io.tunnel.server.partition;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TableRecord;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The logs that the changes of tables are kept in. Methods are called by the control thread, one
 * after the other, and return at once; a future may be completed by any thread, and fails with an
 * {@link java.io.IOException} when the log cannot be reached.
 */
public interface TableLogs {

  /** Whether many nodes share them. */
  boolean areShared();

  /**
   * Makes the log of a table that is about to be in the catalog, and says what its origin is, if it
   * has one. If there is a log under the table's id that fits and has never had a record, it is of
   * an attempt that failed, and is taken. Any other is left alone, and the future fails with a
   * {@link LogTakenException}: the caller may have ceased to lead the catalog without knowing it,
   * or the catalog may have forgotten tables, and then the log is that of another table.
   */
  CompletableFuture<Optional<Bytes>> create(TableRecord table);

  /**
   * Completes when all leaders decide by the catalog as the catalog was at the call, or by a later
   * one.
   */
  default CompletableFuture<Void> heard() {
    return CompletableFuture.completedFuture(null);
  }

  /** Gives a table's log what follows from its options. */
  CompletableFuture<Void> alter(TableRecord table, TableOptions options);

  /**
   * Deletes the log of a table that is no longer in the catalog. If it fails, or is never called
   * because the node ends before that, a shared log stays among the catalog's dropped ones.
   */
  CompletableFuture<Void> drop(TableRecord table);
}
