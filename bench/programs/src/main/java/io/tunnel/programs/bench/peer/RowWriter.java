package io.tunnel.programs.bench.peer;

/** Writes rows in batches of its own making. */
public interface RowWriter extends AutoCloseable {

  /** Adds a row; waits while too much is under way. */
  void add(SourceRow row, Acknowledged acknowledged);

  /** Returns when everything added before has an outcome. */
  void flush();

  @Override
  void close();

  /** Learns what became of a row, on a thread of the writer. */
  @FunctionalInterface
  interface Acknowledged {
    void completed(long sequence, boolean isApplied);
  }
}
