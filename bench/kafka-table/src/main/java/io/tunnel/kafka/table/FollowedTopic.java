package io.tunnel.kafka.table;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;

/**
 * A topic that Kafka Streams keeps as a table.
 *
 * <p>Kafka Streams' count of processed records is the number of records in the table: processing a
 * record puts it into the store, where queries find it from then on. No listener takes part.
 */
final class FollowedTopic {

  private static final String STORE = "rows";
  private static final long LOOK_NANOS = 20_000_000;
  private static final int LOOKS_MAX = 3_000;
  private static final Duration CLOSE_MAX = Duration.ofSeconds(30);

  private final KafkaStreams streams;
  private List<Metric> processed = List.of();

  private FollowedTopic(KafkaStreams streams) {
    this.streams = streams;
  }

  /**
   * Starts, and returns when all partitions are followed.
   *
   * @param failed receives the reason when following fails later
   */
  static FollowedTopic start(
      TableSettings settings,
      String application,
      String topic,
      int partitions,
      Consumer<Throwable> failed) {
    Properties properties = settings.of(application);
    KafkaStreams streams = new KafkaStreams(topology(topic, properties), properties);
    streams.setUncaughtExceptionHandler(
        failure -> {
          failed.accept(failure);
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    FollowedTopic followed = new FollowedTopic(streams);
    streams.start();
    try {
      followed.awaitPartitions(partitions);
      followed.processed =
          streams.metrics().values().stream()
              .map(Metric.class::cast)
              .filter(metric -> metric.metricName().group().equals("stream-thread-metrics"))
              .filter(metric -> metric.metricName().name().equals("process-total"))
              .toList();
    } catch (IllegalStateException e) {
      followed.end();
      throw e;
    }
    return followed;
  }

  /** The topology: one table, which can be queried. */
  static Topology topology(String topic, Properties settings) {
    Serde<byte[]> bytes = Serdes.ByteArray();
    StreamsBuilder builder = new StreamsBuilder();
    builder.table(
        topic,
        Consumed.with(bytes, bytes),
        Materialized.<byte[], byte[], KeyValueStore<Bytes, byte[]>>as(STORE)
            .withKeySerde(bytes)
            .withValueSerde(bytes));
    return builder.build(settings);
  }

  private void awaitPartitions(int partitions) {
    for (int look = 0; look < LOOKS_MAX; look++) {
      KafkaStreams.State state = streams.state();
      if (state.hasStartedOrFinishedShuttingDown()) {
        throw new IllegalStateException("Kafka Streams is " + state);
      }
      if (state == KafkaStreams.State.RUNNING && followed() == partitions) {
        return;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    throw new IllegalStateException(
        "Kafka Streams is " + streams.state() + " and follows " + followed() + " of " + partitions);
  }

  private int followed() {
    return streams.metadataForLocalThreads().stream()
        .mapToInt(thread -> thread.activeTasks().size())
        .sum();
  }

  /** The number of records in the table. */
  long records() {
    return processed.stream().mapToLong(each -> ((Number) each.metricValue()).longValue()).sum();
  }

  /** Reads the whole table. */
  long countRows() {
    long rows = 0;
    try (KeyValueIterator<byte[], byte[]> all =
        streams
            .store(
                StoreQueryParameters.fromNameAndType(
                    STORE, QueryableStoreTypes.<byte[], byte[]>keyValueStore()))
            .all()) {
      while (all.hasNext()) {
        all.next();
        rows++;
      }
    }
    return rows;
  }

  /** Leaves the group, and deletes the table. */
  void forget() {
    end();
    streams.cleanUp();
  }

  private void end() {
    streams.close(
        CloseOptions.groupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP)
            .withTimeout(CLOSE_MAX));
  }

  /** Stops within {@code longest}. */
  void stop(Duration longest) {
    streams.close(longest);
  }
}
