package io.tunnel.programs.bench.kafka;

import io.tunnel.kafka.broker.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A Kafka that is measured, and what is known of it.
 *
 * @param bootstrap where clients connect first, as HOST:PORT
 * @param cpuNanos processor time that its broker has used; empty when nobody here can know
 * @param topicPrefix what the names of the topics begin with that a benchmark makes
 * @param client settings of every client besides those of the benchmark, in Kafka's own words
 */
public record KafkaService(
    String bootstrap,
    Supplier<OptionalLong> cpuNanos,
    String topicPrefix,
    Map<String, String> client) {

  /** What the broker's own start script gives it. */
  private static final int BROKER_HEAP_MIB = 1_024;

  /** Takes a copy. */
  public KafkaService {
    client = Map.copyOf(client);
  }

  /** Starts the broker of a benchmark, which keeps all that is written to it. */
  public static KafkaBroker startBroker(Path directory) throws IOException {
    return startBroker(directory, Map.of());
  }

  /** Starts one with further settings, in Kafka's own words. */
  public static KafkaBroker startBroker(Path directory, Map<String, String> more)
      throws IOException {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("log.retention.hours", "-1");
    return KafkaBroker.start(directory, settings, BROKER_HEAP_MIB);
  }

  /** A broker that this process has started, without foreign topics. */
  public static KafkaService of(KafkaBroker broker) {
    return of(broker, Map.of());
  }

  /** A broker of this process, with further settings for its clients. */
  public static KafkaService of(KafkaBroker broker, Map<String, String> client) {
    return new KafkaService(
        broker.bootstrap(), () -> OptionalLong.of(broker.cpuNanos()), "", client);
  }

  /** A broker that already runs, and that other clients may use. */
  public static KafkaService at(String bootstrap, String topicPrefix) {
    return new KafkaService(bootstrap, OptionalLong::empty, topicPrefix, Map.of());
  }
}
