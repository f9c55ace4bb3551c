package io.tunnel.programs.bench.peer;

import java.util.function.LongSupplier;

/** Is told how far long work is. */
@FunctionalInterface
public interface Progress {

  /** Shows nothing. */
  Progress NONE = (verb, total, done) -> () -> {};

  /**
   * Looks at {@code done} until the result is closed.
   *
   * @param verb what becomes of the rows, such as "written"
   * @param total what {@code done} will be at the end; 0 when nobody knows
   */
  Watch watch(String verb, long total, LongSupplier done);

  /** From now on {@code what} is done, such as "write, round 2 of 3". */
  default void step(String what) {}

  /** Ends the looking. */
  @FunctionalInterface
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
