package io.tunnel.server.kafka.store;

import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;

/** The end of a task that makes several calls of Kafka, each of which takes less time. */
@FunctionalInterface
interface Deadline {

  boolean isOver();

  /**
   * Repeats a call until Kafka answers.
   *
   * @throws TimeoutException when Kafka has not answered before the deadline
   */
  default <T> T repeat(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (TimeoutException e) {
        if (isOver()) {
          throw e;
        }
      }
    }
  }

  /** Like {@link #repeat(Supplier)}, for a call without a result. */
  default void repeat(Runnable call) {
    repeat(
        () -> {
          call.run();
          return null;
        });
  }
}
