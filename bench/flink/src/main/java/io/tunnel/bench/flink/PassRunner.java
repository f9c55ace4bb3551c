package io.tunnel.bench.flink;

/** Reads a table, from its first row to its last, as often as asked. */
interface PassRunner extends AutoCloseable {

  /** The longest time of a pass. */
  int SECONDS_MAX = 300;

  /** Reads it once, tells {@code count}, which is open under {@code name}, and closes all. */
  void run(String name, RowCount count) throws Exception;

  @Override
  void close();
}
