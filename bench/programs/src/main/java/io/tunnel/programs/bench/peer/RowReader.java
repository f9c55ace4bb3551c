package io.tunnel.programs.bench.peer;

import java.util.Optional;

/** Reads a table and tells {@link Arrivals}. */
public interface RowReader extends AutoCloseable {

  void start();

  /** Why it reads no more; empty while it does. */
  Optional<String> trouble();

  @Override
  void close();
}
