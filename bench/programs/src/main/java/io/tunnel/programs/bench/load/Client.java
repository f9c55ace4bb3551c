package io.tunnel.programs.bench.load;

/** A client of a {@link Load}. The load calls a client on one thread at a time. */
@FunctionalInterface
public interface Client {

  /**
   * Begins an operation. The client ends the turn once, now or later, on any thread: by {@link
   * Turn#done}, {@link Turn#leave} or {@link Turn#failed}. An exception fails the turn.
   */
  void operate(Turn turn) throws Exception;

  /** Runs {@code first}, which begins the first operation, on the thread of the client. */
  default void begin(Runnable first) {
    first.run();
  }

  /** The client begins no further operation. Called on the thread that learns so. */
  default void left() throws Exception {}
}
