package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole node on a real broker. */
@Timeout(180)
class ClusterServerTest {

  /** What SIGTERM may take when nothing answers. */
  private static final long STOP_S_MAX = 15;

  @TempDir private Path data;
  private KafkaBroker broker;

  @BeforeEach
  void startBroker() throws IOException {
    Path directory = Files.createTempDirectory(Path.of("target"), "node-broker-");
    broker = KafkaBroker.start(directory.toAbsolutePath(), Map.of());
  }

  @AfterEach
  void stopBroker() throws IOException {
    broker.close();
  }

  private ClusterServer start() throws IOException {
    ServerConfig defaults = ServerConfig.defaults(2);
    NetConfig net = new NetConfig("127.0.0.1", 0, -1, 1, 100, false);
    ServerConfig config =
        new ServerConfig(
            net,
            defaults.log(),
            defaults.shard(),
            defaults.table(),
            defaults.session(),
            defaults.base());
    ClusterConfig.Log log =
        new ClusterConfig.Log(List.of(broker.bootstrap()), 1, 1, 6_000, Map.of());
    return new ClusterServer(data, config, new ClusterConfig("c", "n1", Optional.empty(), 1, log));
  }

  private static void awaitLeader(ClusterServer server) {
    while (!server.leadsEverything()) {
      // Stores are opened one after the other.
    }
  }

  @Test
  void a_node_stops_in_time_though_kafka_is_silent() throws Exception {
    ClusterServer server = start();
    awaitLeader(server);
    broker.suspend();
    long began = System.nanoTime();
    try {
      server.close();
    } catch (IOException e) {
      // It may say that it did not stop cleanly.
      assertThat(e.getSuppressed()).isNotEmpty();
    } finally {
      broker.resume();
    }
    assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(STOP_S_MAX));
  }

  @Test
  void a_node_starts_again_on_its_directory() throws Exception {
    try (ClusterServer server = start()) {
      awaitLeader(server);
    }
    try (ClusterServer again = start()) {
      awaitLeader(again);
    }
    assertThat(data.resolve("FORMAT")).exists();
    assertThat(data.resolve("copies")).exists();
  }
}
