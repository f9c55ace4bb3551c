package io.tunnel.server.changes;

import io.tunnel.model.RefusedException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Waits until the served state of a partition includes everything that was acknowledged before the
 * question.
 */
@FunctionalInterface
public interface Freshness {

  /** Calls {@code then} once, on any thread; with a failure when the log does not answer. */
  void whenFresh(int partition, Consumer<Optional<RefusedException>> then);

  /** Ends all waits for a partition, which is no longer served here. */
  default void giveUp(int partition, RefusedException reason) {
    // An implementation without waits has nothing to end.
  }
}
