package io.tunnel.server.kafka.store;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transaction whose end Kafka has decided and never written into the store's partition, so that
 * nobody who reads what is committed gets past it.
 *
 * <p>A broker that is killed between the two, and started again, takes the partition for deleted if
 * it looks before it knows its topics, and forgets to write the end. Kafka 4.3 logs "no leader
 * endpoint for partitions" then. The writer may have been told that the transaction is stored.
 *
 * <p>What ends it is the next transaction of the same producer, whose end is written for both. So
 * the next writer of the store, which is the same producer to Kafka, begins one of its own and ends
 * it as Kafka had decided. Kafka forgets the decision when a writer opens: it is asked before. If
 * the writer is killed between its opening and the end, which takes milliseconds, the next one
 * takes the decision for a commit, unless a transaction was begun here: Kafka aborts that one, and
 * both.
 */
final class LeftTransaction {

  /** The name of a text that is never stored, only removed: what readers do with it is nothing. */
  static final String NO_NAME = "";

  private static final Logger LOGGER = LoggerFactory.getLogger(LeftTransaction.class);

  private final Admin admin;
  private final TopicPartition partition;
  private final String transactionalId;
  private final boolean isCommitted;

  /** How the producer's last transaction ended; for before the producer opens. */
  static LeftTransaction look(Admin admin, TopicPartition partition, String transactionalId) {
    boolean isCommitted =
        describe(admin, transactionalId)
            .map(TransactionDescription::state)
            .map(LeftTransaction::isCommitted)
            .orElse(true);
    return new LeftTransaction(admin, partition, transactionalId, isCommitted);
  }

  private LeftTransaction(
      Admin admin, TopicPartition partition, String transactionalId, boolean isCommitted) {
    this.admin = admin;
    this.partition = partition;
    this.transactionalId = transactionalId;
    this.isCommitted = isCommitted;
  }

  /**
   * Of a state that says nothing of the last end: a write that was acknowledged is never undone.
   */
  private static boolean isCommitted(TransactionState state) {
    return switch (state) {
      case PREPARE_COMMIT, COMPLETE_COMMIT, EMPTY, UNKNOWN -> true;
      case ONGOING, PREPARE_ABORT, COMPLETE_ABORT, PREPARE_EPOCH_FENCE -> false;
    };
  }

  /**
   * Ends it, if there is one; for after the producer has opened, when nothing of it can be under
   * way.
   *
   * @throws KafkaException when there is one that this producer cannot end, or Kafka did not answer
   */
  void end(Producer<String, String> producer, Deadline deadline) {
    Optional<ProducerState> left = deadline.repeat(this::find);
    if (left.isEmpty()) {
      return;
    }
    requireOwn(left.get());
    LOGGER.warn(
        "a transaction in {} has no end since its broker was killed; Kafka had {} it",
        partition,
        isCommitted ? "committed" : "aborted");
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), NO_NAME, null));
    // What was not sent when an abort is asked for would not be, and Kafka had nothing to end.
    producer.flush();
    deadline.repeat(isCommitted ? producer::commitTransaction : producer::abortTransaction);
  }

  private Optional<ProducerState> find() {
    return AdminAnswers.get(admin.describeProducers(List.of(partition)).partitionResult(partition))
        .activeProducers()
        .stream()
        .filter(producer -> producer.currentTransactionStartOffset().isPresent())
        .findFirst();
  }

  private static Optional<TransactionDescription> describe(Admin admin, String transactionalId) {
    try {
      return Optional.of(
          AdminAnswers.get(
              admin.describeTransactions(List.of(transactionalId)).description(transactionalId)));
    } catch (TransactionalIdNotFoundException nobodyHasUsedIt) {
      return Optional.empty();
    }
  }

  /** Kafka gives an id another producer when nobody has used it for a week. */
  private void requireOwn(ProducerState left) {
    long own = describe(admin, transactionalId).orElseThrow().producerId();
    if (left.producerId() != own) {
      OptionalLong start = left.currentTransactionStartOffset();
      throw new KafkaException(
          "a transaction of producer "
              + left.producerId()
              + " that begins at offset "
              + start.getAsLong()
              + " of "
              + partition
              + " has no end, and only Kafka's operators can give it one:"
              + " kafka-transactions.sh abort --topic "
              + partition.topic()
              + " --partition "
              + partition.partition()
              + " --start-offset "
              + start.getAsLong());
    }
  }
}
