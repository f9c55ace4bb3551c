package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.PartitionTopics.Place;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks Kafka which records of former leaders are still in the log. Only a consumer can ask: it
 * checks whether the log was truncated before the offset that it starts from. So this class makes a
 * consumer for the first question, and closes it after the last.
 *
 * <p>Safe for use by any thread; a thread of its own owns the consumer, and ends when idle.
 */
final class KafkaEpochs {

  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);
  private static final long IDLE_MS = 1_000;

  private final String cluster;
  private final Duration within;
  private final PartitionTopics topics;
  private final Supplier<Consumer<Bytes, Bytes>> consumers;
  private final ThreadPoolExecutor owner;

  /** Present while there are questions. */
  private Optional<Consumer<Bytes, Bytes>> open = Optional.empty();

  /**
   * The end of the records that were seen of a partition.
   *
   * @param next the offset behind the last record that was seen
   * @param leaderEpoch epoch of the leader under which that record was seen
   */
  public record Seen(long next, int leaderEpoch) {}

  KafkaEpochs(
      KafkaConfig config, PartitionTopics topics, Supplier<Consumer<Bytes, Bytes>> consumers) {
    this.cluster = config.cluster();
    this.within = Duration.ofMillis(config.times().requestMs());
    this.topics = topics;
    this.consumers = consumers;
    this.owner =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "kafka-epochs");
              thread.setDaemon(true);
              return thread;
            });
    owner.allowCoreThreadTimeOut(true);
  }

  /**
   * By partition, the offset up to which the log still has the records that were seen: {@link
   * Seen#next}, or less when the log was truncated since; 0 when Kafka does not know the epoch any
   * more.
   */
  public CompletableFuture<Map<Integer, Long>> shared(Map<Integer, Seen> seen) {
    Map<Integer, Seen> asked = Map.copyOf(seen);
    CompletableFuture<Map<Integer, Long>> answer = new CompletableFuture<>();
    owner.execute(
        () -> {
          try {
            answer.complete(ask(asked));
          } catch (RuntimeException | LogUnavailableException e) {
            answer.completeExceptionally(
                AdminFutures.failure("tell which records are left of " + asked.keySet(), e));
            close();
          }
          if (owner.getQueue().isEmpty()) {
            close();
          }
        });
    return answer;
  }

  private Map<Integer, Long> ask(Map<Integer, Seen> asked) throws LogUnavailableException {
    Map<Integer, Long> shared = new HashMap<>();
    for (Map.Entry<Integer, Seen> one : asked.entrySet()) {
      int partition = one.getKey();
      Place place = topics.of(partition).orElseThrow(() -> KafkaOffsets.unknown(partition));
      shared.put(partition, ask(KafkaOffsets.topic(cluster, place), one.getValue()));
    }
    return shared;
  }

  private long ask(TopicPartition topic, Seen seen) {
    if (open.isEmpty()) {
      open = Optional.of(consumers.get());
    }
    Consumer<Bytes, Bytes> consumer = open.get();
    consumer.assign(Set.of(topic));
    // A consumer that does not know the leader would accept any offset.
    consumer.endOffsets(Set.of(topic), within);
    consumer.seek(topic, new OffsetAndMetadata(seen.next(), Optional.of(seen.leaderEpoch()), ""));
    try {
      return Math.min(seen.next(), consumer.position(topic, within));
    } catch (LogTruncationException e) {
      OffsetAndMetadata divergent = e.divergentOffsets().get(topic);
      return divergent == null ? 0 : Math.min(seen.next(), divergent.offset());
    } catch (OffsetOutOfRangeException e) {
      return 0;
    }
  }

  private void close() {
    open.ifPresent(consumer -> consumer.close(CloseOptions.timeout(CLOSE_MAX)));
    open = Optional.empty();
  }
}
