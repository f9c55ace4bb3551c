package io.tunnel.bench.peers;

import io.tunnel.bench.children.Children;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;

/**
 * A broker that is its own controller (KRaft), with the heap and the collector's settings of its
 * own start script, and otherwise its defaults.
 */
final class KafkaBrokerChild {

  private static final long START_SECONDS_MAX = 60;
  private static final int CONNECT_MS_MAX = 500;
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xms1g",
          "-Xmx1g",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=20",
          "-XX:InitiatingHeapOccupancyPercent=35",
          "-Djava.awt.headless=true");

  private final Process process;
  private final int port;

  private KafkaBrokerChild(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Formats the storage, starts the broker and waits until it takes connections. */
  static KafkaBrokerChild start(Children children, LoadClock clock)
      throws IOException, InterruptedException {
    int port = freePort();
    Path settings = children.directory().resolve("kafka.properties");
    Files.writeString(settings, settings(children, port, freePort()));
    Process format =
        children.start(
            "kafka-format",
            List.of("-Xmx256m"),
            "kafka.tools.StorageTool",
            List.of("format", "-t", Uuid.randomUuid().toString(), "-c", settings.toString()));
    if (!format.waitFor(START_SECONDS_MAX, TimeUnit.SECONDS) || format.exitValue() != 0) {
      throw new IllegalStateException(
          "the broker's storage was not formatted: "
              + Files.readString(children.log("kafka-format")));
    }
    Process process =
        children.start("kafka", JVM_OPTIONS, "kafka.Kafka", List.of(settings.toString()));
    KafkaBrokerChild broker = new KafkaBrokerChild(process, port);
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (!broker.takesConnections()) {
      if (!process.isAlive() || clock.nanos() - deadlineNanos > 0) {
        throw new IllegalStateException(
            "the broker did not start: " + Files.readString(children.log("kafka")));
      }
      clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(100), () -> false);
    }
    return broker;
  }

  private static String settings(Children children, int port, int controllerPort) {
    return String.join(
        "\n",
        "process.roles=broker,controller",
        "node.id=1",
        "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
        "controller.listener.names=CONTROLLER",
        "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
        "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs=" + children.directory().resolve("kafka"),
        "offsets.topic.replication.factor=1",
        "auto.create.topics.enable=false",
        "log.retention.hours=-1",
        // Dropped topics go at once, not a minute later in the middle of another round.
        "file.delete.delay.ms=1000",
        "");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean takesConnections() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS_MAX);
      return true;
    } catch (IOException notYet) {
      return false;
    }
  }

  String endpoint() {
    return "127.0.0.1:" + port;
  }

  long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }
}
