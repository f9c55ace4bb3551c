package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** What becomes of an owner that does not take over what was stored late. */
final class LateWriteTest {

  private static final StoreTopic TOPIC = new StoreTopic(Map.of(), "t", 0);
  private static final Map<String, Optional<String>> CHANGES = Map.of("a", Optional.of("1"));

  private final CountDownLatch mayCommit = new CountDownLatch(1);

  /** Commits when it may. */
  private final class SlowProducer extends MockProducer<String, String> {
    SlowProducer() {
      super(true, new RoundRobinPartitioner(), new StringSerializer(), new StringSerializer());
    }

    @Override
    public void commitTransaction() {
      try {
        mayCommit.await();
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
      super.commitTransaction();
    }
  }

  @Test
  void an_owner_that_fails_to_take_it_over_writes_nothing_more_and_is_told_so() throws Exception {
    FakeStoreOwner owner = new FakeStoreOwner();
    owner.takesOver = false;
    try (KafkaCatalogStore store = store(owner)) {
      assertThatThrownBy(() -> store.write(CHANGES)).isInstanceOf(UnknownOutcomeException.class);
      mayCommit.countDown();
      owner.awaitTold();
      assertThat(owner.fences).hasSize(1);
      assertThatThrownBy(() -> store.write(CHANGES)).isInstanceOf(FencedStoreException.class);
    }
  }

  @Test
  void one_that_takes_it_over_writes_on() throws Exception {
    FakeStoreOwner owner = new FakeStoreOwner();
    try (KafkaCatalogStore store = store(owner)) {
      assertThat(store.isInDoubt()).isFalse();
      assertThatThrownBy(() -> store.write(CHANGES)).isInstanceOf(UnknownOutcomeException.class);
      assertThat(store.isInDoubt()).isTrue();
      mayCommit.countDown();
      owner.awaitTold();
      assertThat(owner.stored).containsExactly(CHANGES);
      assertThat(store.all()).isEqualTo(Map.of("a", "1"));
      assertThat(store.isInDoubt()).isFalse();
      store.write(Map.of("a", Optional.of("2")));
      assertThat(store.all()).isEqualTo(Map.of("a", "2"));
    }
  }

  private KafkaCatalogStore store(FakeStoreOwner owner) throws IOException {
    SlowProducer producer = new SlowProducer();
    producer.initTransactions();
    return new KafkaCatalogStore(producer, Map.of(), TOPIC, 200, owner.asOwner());
  }
}
