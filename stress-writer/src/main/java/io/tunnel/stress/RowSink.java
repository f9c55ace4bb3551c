package io.tunnel.stress;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;

/** Where rows go: the SDK's buffered writer, or a test's. */
public interface RowSink {

  /**
   * Takes a row; {@code callback} learns once what became of it. May block while too much is under
   * way.
   *
   * @throws IllegalArgumentException for a row that can never be written; no callback then
   */
  void add(RowChange row, RowCallback callback);

  /** Returns when every row taken before has its outcome. */
  void flush();
}
