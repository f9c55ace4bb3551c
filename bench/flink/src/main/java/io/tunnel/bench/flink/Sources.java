package io.tunnel.bench.flink;

import io.tunnel.flink.source.TunnelDeserializationSchema;
import io.tunnel.flink.source.TunnelSource;
import io.tunnel.flink.source.TunnelSourceBuilder;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/** Both sources, from the earliest row on. */
public final class Sources {

  private static final int POLL_ROWS_MAX = 20_000;

  private Sources() {}

  /** Ours, with its defaults. */
  public static <T> TunnelSourceBuilder<T> tunnel(
      String endpoint, String table, TunnelDeserializationSchema<T> schema) {
    return TunnelSource.builder(schema).endpoint(endpoint).table(table);
  }

  /** Kafka's, with larger fetches than its defaults: those that the plain consumer is given too. */
  public static <T> KafkaSourceBuilder<T> kafka(
      String endpoint, String topic, KafkaRecordDeserializationSchema<T> schema) {
    return KafkaSource.<T>builder()
        .setBootstrapServers(endpoint)
        .setTopics(topic)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setProperty(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(POLL_ROWS_MAX))
        .setProperty(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(64 << 20))
        .setProperty(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, Integer.toString(4 << 20))
        .setProperty(ConsumerConfig.RECEIVE_BUFFER_CONFIG, Integer.toString(1 << 20))
        .setDeserializer(schema);
  }
}
