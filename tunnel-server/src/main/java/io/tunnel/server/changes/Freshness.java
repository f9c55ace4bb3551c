package io.tunnel.server.changes;

import io.tunnel.model.RefusedException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Waits until what is served of a partition has everything that was there at the moment of the
 * question.
 */
@FunctionalInterface
public interface Freshness {

  /** Tells {@code then} once, on any thread: with a failure when that cannot be known. */
  void whenFresh(int partition, Consumer<Optional<RefusedException>> then);

  /** The partition is served here no more: those who wait for it are told. */
  default void giveUp(int partition, RefusedException reason) {
    // Where nobody waits.
  }
}
