package io.tunnel.it;

import io.tunnel.kafka.broker.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A real broker, with a listener for each node that is to be cut off from it. A client of Kafka
 * goes where the broker says that it is; what such a listener says is the port of a proxy in front
 * of it, so all that a node says to the broker passes there.
 */
final class KafkaProcess implements AutoCloseable {

  private static final int LOG_LINES_MAX = 300;

  private final KafkaBroker broker;
  private final int directPort = FreePort.find();
  private final List<TcpProxy> roads = new ArrayList<>();

  /** Starts a broker in a new directory, with so many listeners behind proxies. */
  KafkaProcess(Stage stage, int proxied) {
    int controllerPort = FreePort.find();
    List<String> listeners = new ArrayList<>();
    List<String> advertised = new ArrayList<>();
    List<String> protocols = new ArrayList<>(List.of("CONTROLLER:PLAINTEXT"));
    listen("DIRECT", directPort, directPort, listeners, advertised, protocols);
    for (int i = 0; i < proxied; i++) {
      int port = FreePort.find();
      TcpProxy road = stage.closing(new TcpProxy(port));
      roads.add(road);
      listen("ROAD" + i, port, road.port(), listeners, advertised, protocols);
    }
    listeners.add("CONTROLLER://127.0.0.1:" + controllerPort);
    Map<String, String> settings = new HashMap<>();
    settings.put("listeners", String.join(",", listeners));
    settings.put("advertised.listeners", String.join(",", advertised));
    settings.put("listener.security.protocol.map", String.join(",", protocols));
    settings.put("inter.broker.listener.name", "DIRECT");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    // Compaction when a test asks for it, not in a quarter of a minute.
    settings.put("log.cleaner.backoff.ms", "200");
    try {
      broker = KafkaBroker.start(stage.path("kafka"), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    stage.closes(this);
    stage.hears(this::transcript);
  }

  private static void listen(
      String name,
      int port,
      int advertisedPort,
      List<String> listeners,
      List<String> advertised,
      List<String> protocols) {
    listeners.add(name + "://127.0.0.1:" + port);
    advertised.add(name + "://127.0.0.1:" + advertisedPort);
    protocols.add(name + ":PLAINTEXT");
  }

  /** Where it is reached whatever the proxies do. */
  String bootstrap() {
    return "127.0.0.1:" + directPort;
  }

  /** The only way of a node to the broker. */
  TcpProxy road(int number) {
    return roads.get(number);
  }

  /** Stops it and starts it again, on its ports and with its data. */
  void restart() {
    try {
      broker.restart();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it as a crash would. */
  void kill() {
    broker.kill();
  }

  /** It stands still, and its connections stay. */
  void suspend() {
    try {
      broker.suspend();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It goes on as if no time had passed. */
  void resume() {
    try {
      broker.resume();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The end of what it logged. */
  private String transcript() {
    try {
      List<String> lines = Files.readAllLines(broker.log());
      int from = Math.max(0, lines.size() - LOG_LINES_MAX);
      return "--- kafka\n" + String.join("\n", lines.subList(from, lines.size()));
    } catch (IOException e) {
      return "--- kafka, whose log cannot be read: " + e;
    }
  }

  @Override
  public void close() {
    broker.close();
  }
}
