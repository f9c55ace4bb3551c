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
 * Writes texts as one transaction, and continues until the outcome is certain.
 *
 * <p>While the end of a transaction is unknown, the end is asked for again; Kafka carries it out
 * once. A transaction whose records could not be sent was never asked to commit, so it can be
 * aborted. After any other failure the producer is unusable, and the next writer finds the outcome.
 * The same holds when the end stays unknown for longer than Kafka lets a transaction be open: then
 * Kafka has fenced the producer, though no other node has opened the store.
 */
final class StoreTransaction {

  private final Producer<String, String> producer;
  private final TopicPartition partition;
  private final BooleanSupplier isGivenUp;

  /** The outcome of a transaction. */
  enum State {
    STORED,
    /** Not stored, and never will be; the producer can begin another transaction. */
    NOT_STORED,
    /**
     * Unknown here for good, unless it was never sent; the producer can begin no other transaction.
     */
    LOST
  }

  /**
   * The outcome of a transaction.
   *
   * @param isInDoubt for a lost transaction, whether Kafka was asked to commit it, and may have
   *     done so
   * @param failure why the transaction is not stored
   */
  record Outcome(State state, boolean isInDoubt, Optional<RuntimeException> failure) {}

  /** Asks {@code isGivenUp} between calls of the producer, each of which blocks for a while. */
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
      // Also thrown by a closed producer.
      return new Outcome(State.LOST, isCommitBegun && !isUnsent.get(), Optional.of(e));
    }
  }

  /** A failure makes the commit fail before Kafka is asked for it. */
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
