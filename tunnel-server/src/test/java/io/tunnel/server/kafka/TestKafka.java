package io.tunnel.server.kafka;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.server.kafka.KafkaConfig.Replication;
import io.tunnel.server.kafka.KafkaConfig.Times;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A real broker for the tests of this JVM; each test has a cluster name of its own. */
public final class TestKafka {

  /** Short, so that tests of outages are. */
  public static final Times SHORT = new Times(1_000, 500, 1_500);

  /** Long, because the machine may have much else to do; but for sessions. */
  private static final Times TIMES = new Times(1_000, 5_000, 20_000);

  public static final Shard.Clock CLOCK =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
        }

        @Override
        public long nanos() {
          return System.nanoTime();
        }
      };

  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private TestKafka() {}

  /** Started when it is first needed, ends with this JVM. */
  private static final class Holder {
    static final KafkaBroker BROKER = start();

    private static KafkaBroker start() {
      try {
        Path directory = Files.createTempDirectory(Path.of("target"), "broker-");
        return KafkaBroker.start(
            directory.toAbsolutePath(),
            Map.of("log.cleaner.backoff.ms", "100", "log.cleaner.threads", "1"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  public static KafkaBroker broker() {
    return Holder.BROKER;
  }

  public static KafkaConfig config() {
    return new KafkaConfig(
        broker().bootstrap(),
        "c" + CLUSTERS.incrementAndGet(),
        new Replication(1, 1),
        TIMES,
        "lz4",
        Map.of());
  }

  /** The same cluster, with other times. */
  public static KafkaConfig config(KafkaConfig like, Times times) {
    return new KafkaConfig(
        like.bootstrap(),
        like.cluster(),
        like.replicas(),
        times,
        like.compression(),
        like.properties());
  }
}
