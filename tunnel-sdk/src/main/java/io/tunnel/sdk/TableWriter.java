package io.tunnel.sdk;

import io.tunnel.model.RowChange;

/** Buffered writer of one table: the fast path. Thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class TableWriter implements AutoCloseable {

  TableWriter() {}

  /** Adds a row. */
  public void add(RowChange row, RowCallback callback) {
    throw new UnsupportedOperationException(row.toString() + callback);
  }

  /** Returns when everything added before has an outcome. */
  public void flush() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
