package io.tunnel.server.kafka.store;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;

/** Waits for what Kafka's administration answers, on threads that may. */
final class AdminAnswers {

  private AdminAnswers() {}

  /**
   * The answer, which the client waits for as long as its settings say.
   *
   * @throws KafkaException why there is none, as Kafka or its client says it
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
