package io.tunnel.server.kafka.members;

import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.Metric;

/**
 * Notices when the group's coordinator has been silent for so long that it has forgotten this
 * member. Kafka's consumer does not report that, but counts the answers to its heartbeats.
 */
final class HeartbeatCount {

  private static final String METRIC = "heartbeat-total";

  private final Consumer<?, ?> consumer;
  private final long silentNanosMax;

  /**
   * The counter, cached: the consumer has a hundred metrics, and this one is read many times a
   * second.
   */
  private Optional<Metric> figure = Optional.empty();

  private double answers;
  private long heardNanos;

  HeartbeatCount(Consumer<?, ?> consumer, long silentNanosMax) {
    this.consumer = consumer;
    this.silentNanosMax = silentNanosMax;
  }

  /** The coordinator answered now. */
  void heard(long nowNanos) {
    heardNanos = nowNanos;
  }

  /** Counts new answers; true when the coordinator has been silent for too long. */
  boolean look(long nowNanos) {
    double now = answers();
    if (now != answers) {
      answers = now;
      heardNanos = nowNanos;
    }
    return nowNanos - heardNanos > silentNanosMax;
  }

  private double answers() {
    if (figure.isEmpty()) {
      figure =
          consumer.metrics().values().stream()
              .filter(metric -> metric.metricName().name().equals(METRIC))
              .<Metric>map(metric -> metric)
              .findFirst();
    }
    return (double)
        figure
            .orElseThrow(() -> new IllegalStateException("Kafka's consumer has no " + METRIC))
            .metricValue();
  }
}
