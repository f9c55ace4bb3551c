package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.KafkaTopics.TableTopic;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** A cluster with one table, whose first partition has the id 100. */
public final class TestTable implements Closeable {

  static final int FIRST = 100;
  static final int TABLE = 7;

  final KafkaConfig config;
  final KafkaCluster cluster;
  final Map<Integer, Place> places = new ConcurrentHashMap<>();
  final KafkaLog log;
  private final int partitions;

  TestTable(int partitions, long retentionMs) throws Exception {
    this(TestKafka.config(), partitions, retentionMs);
  }

  TestTable(KafkaConfig config, int partitions, long retentionMs) throws Exception {
    this.config = config;
    this.cluster = new KafkaCluster(config, TestKafka.CLOCK);
    this.partitions = partitions;
    know(retentionMs);
    get(cluster.topics().openTable(new TableTopic(TABLE, partitions, retentionMs)));
    awaitLeaders();
    log = cluster.openLog(partition -> Optional.ofNullable(places.get(partition)));
  }

  /**
   * Returns when each partition has a leader that answers. Kafka lets a producer begin at any
   * number. Of two batches in flight to a broker that is about to lead, the broker could refuse the
   * first and take the second; the first would then come too late.
   */
  private void awaitLeaders() throws Exception {
    long begun = System.nanoTime();
    while (true) {
      try {
        get(offsets().ends(places.keySet()));
        return;
      } catch (ExecutionException e) {
        if (System.nanoTime() - begun > TimeUnit.MINUTES.toNanos(3)) {
          throw e;
        }
      }
    }
  }

  void know(long retentionMs) {
    for (int i = 0; i < partitions; i++) {
      places.put(FIRST + i, new Place(TABLE, i, retentionMs));
    }
  }

  String topic() {
    return KafkaTopics.table(config.cluster(), TABLE);
  }

  KafkaOffsets offsets() {
    return cluster.offsets(partition -> Optional.ofNullable(places.get(partition)));
  }

  /** Completed when the entries are appended. */
  CompletableFuture<Void> append(int partition, Entry... entries) {
    CompletableFuture<Void> appended = new CompletableFuture<>();
    log.append(
        partition,
        List.of(entries),
        failure ->
            failure.ifPresentOrElse(
                appended::completeExceptionally, () -> appended.complete(null)));
    return appended;
  }

  static Entry marker(String value) {
    return new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(bytes(value)));
  }

  static Entry change(long sequence, String key, String value) {
    return new Entry(Kind.CHANGE, bytes(key), 0, sequence, Optional.of(bytes(value)));
  }

  static Entry delete(long sequence, String key) {
    return new Entry(Kind.CHANGE, bytes(key), 0, sequence, Optional.empty());
  }

  static Bytes bytes(String text) {
    return Bytes.copyOf(text.getBytes(StandardCharsets.UTF_8));
  }

  public static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    log.close();
    cluster.close();
  }
}
