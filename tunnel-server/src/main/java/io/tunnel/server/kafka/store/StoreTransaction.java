package io.tunnel.server.kafka.store;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Writes texts as one transaction, and does not rest before it is certain what became of it.
 *
 * <p>As long as the end of a transaction is not known, the same end is asked for again: Kafka takes
 * it once. A transaction whose records could not be sent was never asked to be committed, so it can
 * be aborted. Whatever else goes wrong, the producer is of no use any more, and the outcome is for
 * the next one to read. So it is when the end is not known for longer than Kafka lets a transaction
 * be open: then Kafka has fenced the producer, though nobody else has opened the store.
 */
final class StoreTransaction {

  private final Producer<String, String> producer;
  private final TopicPartition partition;
  private final BooleanSupplier isGivenUp;

  /** What became of a transaction. */
  enum State {
    STORED,
    /** It never will be; another can be begun. */
    NOT_STORED,
    /** It is not known here and will not be, unless it was never sent; no other can be begun. */
    LOST
  }

  /**
   * What became of a transaction.
   *
   * @param isInDoubt of one that is lost: whether Kafka was asked to commit it, and may have
   * @param failure why it is not stored
   */
  record Outcome(State state, boolean isInDoubt, Optional<RuntimeException> failure) {}

  /** {@code isGivenUp} is asked between two calls of the producer, each of which takes its time. */
  StoreTransaction(
      Producer<String, String> producer, TopicPartition partition, BooleanSupplier isGivenUp) {
    this.producer = producer;
    this.partition = partition;
    this.isGivenUp = isGivenUp;
  }

  Outcome write(Map<String, Optional<String>> changes) {
    AtomicBoolean isUnsent = new AtomicBoolean();
    boolean isCommitBegun = false;
    try {
      producer.beginTransaction();
      changes.forEach((name, text) -> send(name, text, isUnsent));
      isCommitBegun = true;
      return commit();
    } catch (KafkaException e) {
      return abort(e, isCommitBegun && !isUnsent.get());
    } catch (RuntimeException e) {
      // As of a producer that is closed.
      return new Outcome(State.LOST, isCommitBegun && !isUnsent.get(), Optional.of(e));
    }
  }

  /** A failure makes the commit fail, before anything is asked of Kafka. */
  private void send(String name, Optional<String> text, AtomicBoolean isUnsent) {
    producer.send(
        new ProducerRecord<>(partition.topic(), partition.partition(), name, text.orElse(null)),
        (where, failure) -> isUnsent.compareAndSet(false, failure != null));
  }

  private Outcome commit() {
    while (true) {
      try {
        producer.commitTransaction();
        return new Outcome(State.STORED, false, Optional.empty());
      } catch (TimeoutException e) {
        if (isGivenUp.getAsBoolean()) {
          return new Outcome(State.LOST, true, Optional.of(e));
        }
      }
    }
  }

  private Outcome abort(KafkaException reason, boolean isInDoubt) {
    if (isFenced(reason)) {
      return new Outcome(State.LOST, isInDoubt, Optional.of(reason));
    }
    while (true) {
      try {
        producer.abortTransaction();
        return new Outcome(State.NOT_STORED, false, Optional.of(reason));
      } catch (TimeoutException e) {
        if (isGivenUp.getAsBoolean()) {
          return new Outcome(State.LOST, isInDoubt, Optional.of(e));
        }
      } catch (RuntimeException e) {
        e.addSuppressed(reason);
        return new Outcome(State.LOST, isInDoubt, Optional.of(e));
      }
    }
  }

  private static boolean isFenced(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof ProducerFencedException
          || each instanceof InvalidProducerEpochException) {
        return true;
      }
    }
    return false;
  }
}
