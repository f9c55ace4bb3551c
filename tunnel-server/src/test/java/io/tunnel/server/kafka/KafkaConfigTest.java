package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.kafka.KafkaConfig.Replication;
import io.tunnel.server.kafka.KafkaConfig.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaConfigTest {

  @ParameterizedTest
  @ValueSource(strings = {"h:1", "h.example:9092,[::1]:9093"})
  void bootstrap_names_brokers(String bootstrap) {
    assertThat(new KafkaConfig(bootstrap, "c").bootstrap()).isEqualTo(bootstrap);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "h", "h:", "h:1,", "h:1, i:2", "h:999999"})
  void what_is_no_broker_is_refused(String bootstrap) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KafkaConfig(bootstrap, "c"))
        .withMessageContaining("--bootstrap is HOST:PORT,HOST:PORT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", "a.b", "a b", "é"})
  void a_cluster_is_called_what_a_topic_can_begin_with(String cluster) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KafkaConfig("h:1", cluster))
        .withMessageContaining("--cluster is");
    new KafkaConfig("h:1", "a".repeat(64));
    assertThatIllegalArgumentException().isThrownBy(() -> new KafkaConfig("h:1", "a".repeat(65)));
  }

  @Test
  void counts_and_times_have_limits() {
    new Replication(15, 15);
    assertRefused(() -> new Replication(16, 1), "--replication is 1 to 15, not 16");
    assertRefused(() -> new Replication(0, 0), "--replication is 1 to 15, not 0");
    assertRefused(
        () -> new Replication(2, 3), "--min-insync is 1 to --replication, which is 2, not 3");
    new Times(500, 100, 100);
    new Times(300_000, 300_000, 300_000);
    assertRefused(() -> new Times(499, 100, 200), "log.kafka.sessionMs");
    assertRefused(() -> new Times(300_001, 100, 200), "log.kafka.sessionMs");
    assertRefused(() -> new Times(500, 99, 200), "log.kafka.requestMs");
    assertRefused(() -> new Times(500, 101, 100), "log.kafka.deliveryMs");
    assertRefused(() -> new Times(500, 100, 300_001), "log.kafka.deliveryMs");
  }

  @Test
  void properties_are_the_users_but_for_those_that_promises_hang_on() {
    Map<String, String> security = Map.of("security.protocol", "SSL", "ssl.key.password", "x");
    KafkaConfig config = with("zstd", security);
    assertThat(new ClientSettings(config).producer()).containsAllEntriesOf(security);
    assertThat(config.toString()).contains("ssl.key.password").doesNotContain("=x");
    assertRefused(() -> with("lz4", Map.of("acks", "1")), "--kafka-config cannot set acks");
    for (String name :
        List.of(
            "enable.idempotence",
            "max.in.flight.requests.per.connection",
            "retries",
            "delivery.timeout.ms",
            "check.crcs")) {
      assertRefused(() -> with("lz4", Map.of(name, "1")), "--kafka-config cannot set " + name);
    }
    assertRefused(() -> with("best", Map.of()), "kafka.compression is one of");
    assertRefused(
        () ->
            with(
                "lz4",
                IntStream.rangeClosed(0, 256)
                    .boxed()
                    .collect(Collectors.toMap(i -> "p" + i, i -> ""))),
        "--kafka-config has at most 256 properties");
  }

  @Test
  void properties_that_a_client_would_refuse_later_are_refused_at_the_start() {
    for (Map<String, String> wrong :
        List.of(Map.of("batch.size", "much"), Map.of("fetch.min.bytes", "-1"))) {
      String name = wrong.keySet().iterator().next();
      KafkaConfig config =
          new KafkaConfig(
              "127.0.0.1:1",
              "c",
              KafkaConfig.Replication.DEFAULT,
              KafkaConfig.Times.DEFAULT,
              "lz4",
              wrong);
      assertThatThrownBy(() -> new KafkaCluster(config, TestKafka.CLOCK).close())
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(LogUnavailableException.class)
          .hasMessageContainingAll(name, "--kafka-config");
    }
  }

  /** Another try may help: names are served by a network, too. */
  @Test
  void a_name_of_a_broker_that_cannot_be_resolved_is_told_as_a_kafka_that_is_away() {
    KafkaConfig config =
        new KafkaConfig(
            "nowhere.invalid:9092",
            "c",
            KafkaConfig.Replication.DEFAULT,
            KafkaConfig.Times.DEFAULT,
            "lz4",
            Map.of());
    assertThatThrownBy(() -> new KafkaCluster(config, TestKafka.CLOCK).close())
        .isInstanceOf(LogUnavailableException.class)
        .hasMessageContainingAll("cannot connect to Kafka at nowhere.invalid:9092", "--bootstrap");
  }

  @Test
  void numbers_may_have_spaces_around_them_as_kafka_takes_them() {
    KafkaConfig config = with("lz4", Map.of("buffer.memory", "33554432 ", "batch.size", " 16384"));
    ClientSettings settings = new ClientSettings(config);
    settings.requireValid();
    assertThat(ClientSettings.buffer(settings.producer()))
        .isEqualTo(new BrokerShares.Buffer(33_554_432, 16_384));
  }

  @Test
  void properties_are_read_from_a_file(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("client.properties");
    Files.writeString(file, "# TLS\nsecurity.protocol = SSL\n");
    assertThat(KafkaConfig.readProperties(file)).isEqualTo(Map.of("security.protocol", "SSL"));
  }

  private static KafkaConfig with(String compression, Map<String, String> properties) {
    return new KafkaConfig("h:1", "c", Replication.DEFAULT, Times.DEFAULT, compression, properties);
  }

  private static void assertRefused(Runnable made, String said) {
    assertThatIllegalArgumentException().isThrownBy(made::run).withMessageContaining(said);
  }
}
