package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.FIRST;
import static io.tunnel.server.kafka.TestTable.change;
import static io.tunnel.server.kafka.TestTable.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.Tail;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("proof-kafka")
class KafkaOutageTest {

  /** Half of what Kafka's own settings would allow; the tested settings allow 4 s. */
  private static final long BOUND_SECONDS = 60;

  @Test
  void after_a_broker_was_killed_appends_and_tails_go_on_by_themselves() throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestTable table = new TestTable(1, 60_000)) {
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        get(table.append(FIRST, change(0, "k", "before")));
        assertThat(reads.until(1)).hasSize(1);
        broker.kill();
        CompletableFuture<Void> under = table.append(FIRST, change(1, "k", "in between"));
        broker.restart();
        get(under);
        get(table.append(FIRST, change(2, "k", "after")));
        assertThat(reads.until(3))
            .extracting(record -> record.entry().sequence())
            .containsExactly(1L, 2L);
        assertThat(get(table.log.end(FIRST)).offset()).isEqualTo(3);
      }
    }
  }

  @Test
  void while_a_broker_is_silent_everything_fails_within_its_bound_and_what_became_of_it_is_unknown()
      throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestTable table = new TestTable(1, 60_000);
        KafkaCluster quick =
            new KafkaCluster(TestKafka.config(table.config, TestKafka.SHORT), TestKafka.CLOCK);
        KafkaLog log = quick.openLog(partition -> Optional.of(table.places.get(partition)))) {
      Reads reads = new Reads();
      try (Tail tail = log.tail(reads)) {
        tail.follow(FIRST, 0);
        get(append(log, change(0, "k", "before")));
        assertThat(reads.until(1)).hasSize(1);
        broker.suspend();
        try {
          CompletableFuture<Void> unknown = append(log, change(1, "k", "unknown"));
          CompletableFuture<SharedLog.End> end = log.end(FIRST);
          assertFailsInTime(unknown);
          assertFailsInTime(end);
          assertFailsInTime(append(log, change(2, "k", "unknown too")));
        } finally {
          broker.resume();
        }
        while (!succeeds(append(log, change(9, "k", "after"))) || !succeeds(log.end(FIRST))) {
          // The clients need a moment to find the broker again, which has to be led again itself.
        }
        long end = get(log.end(FIRST)).offset();
        List<Stored> read = reads.until(end);
        assertThat(read.get(read.size() - 1).entry().sequence()).isEqualTo(9);
        assertThat(read).extracting(record -> record.entry().sequence()).isSubsetOf(1L, 2L, 9L);
      }
    }
  }

  private static CompletableFuture<Void> append(KafkaLog log, Entry entry) {
    CompletableFuture<Void> appended = new CompletableFuture<>();
    log.append(
        FIRST,
        List.of(entry),
        failure ->
            failure.ifPresentOrElse(
                appended::completeExceptionally, () -> appended.complete(null)));
    return appended;
  }

  private static boolean succeeds(CompletableFuture<?> asked) throws Exception {
    try {
      asked.get(60, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      return false;
    }
  }

  private static void assertFailsInTime(CompletableFuture<?> future) {
    assertThatThrownBy(() -> future.get(BOUND_SECONDS, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(LogUnavailableException.class);
  }
}
