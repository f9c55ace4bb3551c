package io.tunnel.programs.bench.peer;

/** Where readers tell what came; called from any of their threads. */
public interface Arrivals {

  /** A row was seen; only told when the reader looks for {@link Look#SEQUENCE}. */
  void saw(long sequence);

  /**
   * A batch is done.
   *
   * @param amounts the sum of the integer attributes that were looked at
   * @param digest computed from the other columns, so that the JIT cannot optimize reading them
   *     away
   */
  void arrived(int rows, long amounts, long digest);
}
