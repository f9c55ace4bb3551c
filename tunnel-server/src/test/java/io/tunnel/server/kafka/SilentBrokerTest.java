package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.kafka.broker.KafkaBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One of two real brokers stands still, with its connections, and leads half of the partitions. */
@Tag("proof-kafka")
class SilentBrokerTest {

  private static final int PARTITIONS = 400;

  /** Of 32 MiB and 256 KiB; a batch is taken for the first record of each partition. */
  private static final int BATCHES_OF_A_BUFFER = 128;

  private static final int TRIED = 100;

  /** Of a delivery; an append that is held up by those of the silent broker waits about so long. */
  private static final int DELIVERY_MS = 15_000;

  private List<KafkaBroker> brokers;
  private TestAppends table;
  private final Map<Integer, List<Integer>> partitionsByBroker = new HashMap<>();

  @BeforeEach
  void start() throws Exception {
    Path directory = Files.createTempDirectory(Path.of("target"), "brokers-");
    brokers = KafkaBroker.startQuorum(directory.toAbsolutePath(), List.of(Map.of(), Map.of()));
    KafkaConfig one = TestKafka.config();
    table =
        new TestAppends(
            new KafkaConfig(
                brokers.get(0).bootstrap() + "," + brokers.get(1).bootstrap(),
                one.cluster(),
                one.replicas(),
                new KafkaConfig.Times(1_000, 5_000, DELIVERY_MS),
                one.compression(),
                one.properties()),
            PARTITIONS);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", table.config.bootstrap()))) {
      List<TopicPartitionInfo> all =
          admin
              .describeTopics(List.of(table.topic()))
              .allTopicNames()
              .get(60, TimeUnit.SECONDS)
              .get(table.topic())
              .partitions();
      all.forEach(
          partition ->
              partitionsByBroker
                  .computeIfAbsent(partition.leader().id(), broker -> new ArrayList<>())
                  .add(TestAppends.FIRST + partition.partition()));
    }
    assertThat(partitionsByBroker.get(1)).hasSizeGreaterThan(BATCHES_OF_A_BUFFER);
    assertThat(partitionsByBroker.get(2)).hasSizeGreaterThan(TRIED);
  }

  @AfterEach
  void stop() throws Exception {
    brokers.get(0).resume();
    table.close();
    brokers.forEach(KafkaBroker::close);
  }

  /** An append that is sent at once, and a larger one. */
  @ParameterizedTest
  @ValueSource(ints = {100, 20_000})
  void appends_to_the_other_broker_do_not_wait_for_those_of_the_silent_one(int bytes)
      throws Exception {
    for (List<Integer> partitions : partitionsByBroker.values()) {
      get(table.append(partitions.get(0), 1, bytes));
    }
    brokers.get(0).suspend();
    List<CompletableFuture<OptionalLong>> silent = new ArrayList<>();
    for (int partition : partitionsByBroker.get(1)) {
      silent.add(table.append(partition, 2, bytes));
    }
    long slowestNanos = 0;
    for (int partition : partitionsByBroker.get(2).subList(0, TRIED)) {
      long begun = System.nanoTime();
      assertThat(get(table.append(partition, 2, bytes))).isPresent();
      slowestNanos = Math.max(slowestNanos, System.nanoTime() - begun);
    }
    assertThat(silent).as("of the silent broker").noneMatch(CompletableFuture::isDone);
    assertThat(TimeUnit.NANOSECONDS.toMillis(slowestNanos)).isLessThan(DELIVERY_MS / 3);
  }
}
