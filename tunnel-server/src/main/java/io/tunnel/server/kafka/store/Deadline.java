package io.tunnel.server.kafka.store;

import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;

/** Until when something may take whose single calls of Kafka take less. */
@FunctionalInterface
interface Deadline {

  boolean isOver();

  /**
   * Asks again as long as Kafka does not answer.
   *
   * @throws TimeoutException when it still did not when the deadline was over
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

  /** As {@link #repeat(Supplier)}, of a call without an answer. */
  default void repeat(Runnable call) {
    repeat(
        () -> {
          call.run();
          return null;
        });
  }
}
