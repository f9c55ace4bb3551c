package io.tunnel.server.kafka.store;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;

/** Blocks for answers of Kafka's admin client, on threads that may block. */
final class AdminAnswers {

  private AdminAnswers() {}

  /**
   * The answer; the client's settings bound the wait.
   *
   * @throws KafkaException the failure, as Kafka or its client reports it
   */
  static <T> T get(KafkaFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
