package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.kafka.store.StoreTransaction.Outcome;
import io.tunnel.server.kafka.store.StoreTransaction.State;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoreTransactionTest {

  private static final Map<String, Optional<String>> CHANGES = changes();

  private final FailingProducer producer = new FailingProducer();
  private final AtomicBoolean isGivenUp = new AtomicBoolean();
  private final StoreTransaction transaction =
      new StoreTransaction(producer, new TopicPartition("t", 3), isGivenUp::get);

  StoreTransactionTest() {
    producer.initTransactions();
  }

  private static Map<String, Optional<String>> changes() {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    changes.put("a", Optional.of("1"));
    changes.put("b", Optional.empty());
    return changes;
  }

  /** Fails as often as it is told to. */
  private final class FailingProducer extends MockProducer<String, String> {
    private int commitTimeouts;
    private int abortTimeouts;
    private int commits;
    private Optional<RuntimeException> sendFailure = Optional.empty();

    FailingProducer() {
      super(true, new RoundRobinPartitioner(), new StringSerializer(), new StringSerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<String, String> record, Callback told) {
      if (sendFailure.isEmpty()) {
        return super.send(record, told);
      }
      told.onCompletion(null, sendFailure.get());
      return CompletableFuture.failedFuture(sendFailure.get());
    }

    @Override
    public void commitTransaction() {
      commits++;
      if (commitTimeouts-- > 0) {
        isGivenUp.set(commitTimeouts == 0 && abortTimeouts < 0);
        throw new TimeoutException("commit");
      }
      super.commitTransaction();
    }

    @Override
    public void abortTransaction() {
      if (abortTimeouts-- > 0) {
        throw new TimeoutException("abort");
      }
      super.abortTransaction();
    }
  }

  @Test
  void texts_are_stored_under_their_names_in_one_transaction() {
    assertThat(transaction.write(CHANGES).state()).isEqualTo(State.STORED);
    assertThat(producer.history())
        .extracting(record -> record.topic() + record.partition() + record.key() + record.value())
        .containsExactly("t3a1", "t3bnull");
    assertThat(producer.commitCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void a_commit_whose_outcome_is_unknown_is_asked_for_again(int timeouts) {
    producer.commitTimeouts = timeouts;
    assertThat(transaction.write(CHANGES).state()).isEqualTo(State.STORED);
    assertThat(producer.commits).isEqualTo(timeouts + 1);
    assertThat(producer.history()).hasSize(2);
  }

  @Test
  void a_commit_that_is_given_up_is_lost() {
    producer.commitTimeouts = 3;
    producer.abortTimeouts = -1;
    Outcome outcome = transaction.write(CHANGES);
    assertThat(outcome.state()).isEqualTo(State.LOST);
    assertThat(outcome.isInDoubt()).isTrue();
    assertThat(outcome.failure()).get().isInstanceOf(TimeoutException.class);
    assertThat(producer.commits).isEqualTo(3);
  }

  @Test
  void what_cannot_be_sent_is_not_stored_and_the_next_transaction_can() {
    producer.commitTransactionException = new KafkaException("in an error state");
    producer.abortTimeouts = 2;
    Outcome outcome = transaction.write(CHANGES);
    assertThat(outcome.state()).isEqualTo(State.NOT_STORED);
    assertThat(outcome.failure()).contains(producer.commitTransactionException);
    assertThat(producer.history()).isEmpty();
    producer.commitTransactionException = null;
    assertThat(transaction.write(CHANGES).state()).isEqualTo(State.STORED);
    assertThat(producer.history()).hasSize(2);
  }

  @Test
  void a_fenced_producer_is_lost_and_nothing_is_aborted() {
    for (RuntimeException reason :
        new RuntimeException[] {
          new ProducerFencedException("fenced"),
          new InvalidProducerEpochException("fenced"),
          new KafkaException("in an error state", new ProducerFencedException("fenced"))
        }) {
      producer.commitTransactionException = reason;
      producer.abortTransactionException = new KafkaException("must not be asked for");
      Outcome outcome = transaction.write(CHANGES);
      assertThat(outcome.state()).isEqualTo(State.LOST);
      assertThat(outcome.isInDoubt()).as("the producer was asked to commit sent records").isTrue();
      assertThat(outcome.failure()).contains(reason);
      producer.abortTransactionException = null;
      producer.abortTransaction();
    }
  }

  @Test
  void a_producer_that_cannot_even_abort_is_lost() {
    producer.commitTransactionException = new KafkaException("first");
    producer.abortTransactionException = new KafkaException("second");
    Outcome outcome = transaction.write(CHANGES);
    assertThat(outcome.state()).isEqualTo(State.LOST);
    assertThat(outcome.failure()).contains(producer.abortTransactionException);
    assertThat(outcome.failure().orElseThrow())
        .hasSuppressedException(producer.commitTransactionException);
  }

  @Test
  void a_producer_that_fails_in_an_unknown_way_is_lost() {
    producer.sendException = new UnsupportedOperationException("never seen before");
    assertThat(transaction.write(CHANGES).state()).isEqualTo(State.LOST);
  }

  @Test
  void a_producer_that_fails_to_abort_in_an_unknown_way_is_lost() {
    producer.commitTransactionException = new KafkaException("first");
    producer.abortTransactionException = new UnsupportedOperationException("neither");
    assertThat(transaction.write(CHANGES).state()).isEqualTo(State.LOST);
  }

  @Test
  void a_closed_producer_is_lost() {
    producer.close();
    Outcome outcome = transaction.write(CHANGES);
    assertThat(outcome.state()).isEqualTo(State.LOST);
    assertThat(outcome.isInDoubt()).isFalse();
  }

  @Test
  void what_was_never_sent_is_in_no_doubt() {
    producer.sendFailure = Optional.of(new ProducerFencedException("fenced"));
    producer.commitTransactionException = new KafkaException("in an error state");
    producer.abortTransactionException = new ProducerFencedException("fenced");
    Outcome outcome = transaction.write(CHANGES);
    assertThat(outcome.state()).isEqualTo(State.LOST);
    assertThat(outcome.isInDoubt()).isFalse();
  }
}
