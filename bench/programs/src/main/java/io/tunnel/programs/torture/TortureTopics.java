package io.tunnel.programs.torture;

import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/** What Kafka says of its topics, and what an operator of Kafka can do to them. */
final class TortureTopics implements AutoCloseable {

  private static final int REQUEST_MS = 20_000;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long IN_SYNC_NANOS_MAX = TimeUnit.MINUTES.toNanos(4);

  private final Admin admin;
  private final LoadClock clock;

  TortureTopics(String bootstrap, LoadClock clock) {
    this.clock = clock;
    admin =
        Admin.create(
            Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                REQUEST_MS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                2 * REQUEST_MS));
  }

  private static <T> T get(KafkaFuture<T> answer) throws IOException, InterruptedException {
    try {
      return answer.get(3L * REQUEST_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("Kafka does not answer: " + e, e);
    }
  }

  private Map<String, TopicDescription> topics() throws IOException, InterruptedException {
    ListTopicsOptions all = new ListTopicsOptions().listInternal(true);
    Set<String> names = get(admin.listTopics(all).names());
    return get(admin.describeTopics(names).allTopicNames());
  }

  /**
   * Waits until each replica of each topic is in sync.
   *
   * @throws IOException when some replica is not within four minutes
   */
  void awaitInSync() throws IOException, InterruptedException {
    long beginNanos = clock.nanos();
    String missing = missing();
    while (!missing.isEmpty()) {
      if (clock.nanos() - beginNanos > IN_SYNC_NANOS_MAX) {
        throw new IOException("brokers are not in sync: " + missing);
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
      missing = missing();
    }
  }

  private String missing() throws InterruptedException {
    try {
      for (TopicDescription topic : topics().values()) {
        for (TopicPartitionInfo each : topic.partitions()) {
          if (each.isr().size() < each.replicas().size()) {
            return topic.name() + ": " + each;
          }
        }
      }
      return "";
    } catch (IOException e) {
      // A topic may be deleted between both requests.
      return e.getMessage();
    }
  }

  /** Lets whatever broker is there lead the partitions that have no leader. */
  void electUncleanly() throws IOException, InterruptedException {
    Set<TopicPartition> leaderless =
        topics().values().stream()
            .flatMap(
                topic ->
                    topic.partitions().stream()
                        .filter(each -> each.leader() == null || each.leader().isEmpty())
                        .map(each -> new TopicPartition(topic.name(), each.partition())))
            .collect(Collectors.toSet());
    if (!leaderless.isEmpty()) {
      var unused = get(admin.electLeaders(ElectionType.UNCLEAN, leaderless).partitions());
    }
  }

  /** How many partitions of logs of tables have been trimmed. */
  int trimmed() throws IOException, InterruptedException {
    List<TopicPartition> logs =
        topics().values().stream()
            .filter(topic -> topic.name().contains(".log."))
            .flatMap(
                topic ->
                    topic.partitions().stream()
                        .map(each -> new TopicPartition(topic.name(), each.partition())))
            .toList();
    Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
    logs.forEach(each -> earliest.put(each, OffsetSpec.earliest()));
    return (int)
        get(admin.listOffsets(earliest).all()).values().stream()
            .filter(found -> found.offset() > 0)
            .count();
  }

  @Override
  public void close() {
    admin.close();
  }
}
