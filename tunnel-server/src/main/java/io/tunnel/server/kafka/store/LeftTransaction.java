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
 * A transaction whose end Kafka has decided but never written into the store's partition, so that
 * no reader of committed records gets past it.
 *
 * <p>This happens when a broker is killed between the decision and the write. When it starts again
 * and looks before it knows its topics, it takes the partition for deleted and does not write the
 * end; Kafka 4.3 logs "no leader endpoint for partitions" then. Kafka may have told the writer that
 * the transaction is stored.
 *
 * <p>The next transaction of the same producer ends both, because Kafka writes one end for both. So
 * the next writer of the store, which is the same producer to Kafka, begins a transaction and ends
 * it as Kafka had decided for the former. Kafka forgets the decision when a writer opens, so {@link
 * #look} asks before that. If the writer is killed in the milliseconds between its opening and the
 * end, the next writer assumes a commit; but if the killed writer had begun a transaction here,
 * Kafka aborts that one, and so both.
 */
final class LeftTransaction {

  /** Name of a text that is never stored, only removed, which readers ignore. */
  static final String NO_NAME = "";

  private static final Logger LOGGER = LoggerFactory.getLogger(LeftTransaction.class);

  private final Admin admin;
  private final TopicPartition partition;
  private final String transactionalId;
  private final boolean isCommitted;

  /** Asks how the producer's last transaction ended; call it before the producer opens. */
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
   * True also for a state that does not tell the last end, so that an acknowledged write is never
   * undone.
   */
  private static boolean isCommitted(TransactionState state) {
    return switch (state) {
      case PREPARE_COMMIT, COMPLETE_COMMIT, EMPTY, UNKNOWN -> true;
      case ONGOING, PREPARE_ABORT, COMPLETE_ABORT, PREPARE_EPOCH_FENCE -> false;
    };
  }

  /**
   * Ends the left transaction, if there is one; call it after the producer has opened.
   *
   * @throws KafkaException when this producer cannot end the transaction, or Kafka did not answer
   */
  void end(Producer<String, String> producer, Deadline deadline) {
    Optional<ProducerState> left = deadline.repeat(this::find);
    if (left.isEmpty()) {
      return;
    }
    requireOwn(left.get());
    LOGGER.warn(
        "a transaction in {} has no end since its broker was killed; Kafka had {} it, and this"
            + " node writes the end",
        partition,
        isCommitted ? "committed" : "aborted");
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), NO_NAME, null));
    // An abort drops unsent records, and then Kafka would have nothing to end.
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

  /** Kafka gives a transactional id another producer after a week without use. */
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
