package io.tunnel.it.process;

import io.tunnel.fixtures.FreePort;
import io.tunnel.kafka.broker.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Real brokers, one or several that have the same data, with a listener for each node that is to be
 * cut off from them. A client of Kafka goes where a broker says that it is; what such a listener
 * names is the port of a proxy in front of the broker, so all requests of a node to the broker pass
 * there. Requests of other brokers pass there too, except requests of controllers.
 */
public final class KafkaProcess implements AutoCloseable {

  private static final int LOG_LINES_MAX = 300;

  private final List<KafkaBroker> brokers;
  private final List<Integer> directPorts = new ArrayList<>();
  private final List<Road> roads = new ArrayList<>();
  private final List<TcpProxy> fromBrokers = new ArrayList<>();

  /** Starts a broker in a new directory, with so many listeners behind proxies. */
  public KafkaProcess(Stage stage, int proxied) {
    this(stage, proxied, 1);
  }

  /** Starts brokers in a new directory, each with so many listeners behind proxies. */
  public KafkaProcess(Stage stage, int proxied, int brokerCount) {
    for (int i = 0; i < proxied; i++) {
      roads.add(new Road(new ArrayList<>()));
    }
    List<Listeners> all = new ArrayList<>();
    List<String> voters = new ArrayList<>();
    for (int id = 1; id <= brokerCount; id++) {
      int controllerPort = FreePort.find();
      voters.add(id + "@127.0.0.1:" + controllerPort);
      Listeners listeners = new Listeners();
      int directPort = FreePort.find();
      directPorts.add(directPort);
      listeners.add("DIRECT", directPort, directPort);
      for (int i = 0; i < proxied; i++) {
        roads.get(i).ways().add(listeners.addProxied(stage, "ROAD" + i));
      }
      fromBrokers.add(listeners.addProxied(stage, "BROKERS"));
      listeners.inner.add("CONTROLLER://127.0.0.1:" + controllerPort);
      all.add(listeners);
    }
    List<Map<String, String>> settings =
        all.stream().map(listeners -> listeners.settings(voters)).toList();
    try {
      brokers =
          brokerCount == 1
              ? List.of(KafkaBroker.start(stage.path("kafka"), settings.get(0)))
              : KafkaBroker.startQuorum(stage.path("kafka"), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    stage.closes(this);
    stage.hears(this::transcript);
  }

  /** Of one broker. */
  private static final class Listeners {
    private final List<String> inner = new ArrayList<>();
    private final List<String> advertised = new ArrayList<>();
    private final List<String> protocols = new ArrayList<>(List.of("CONTROLLER:PLAINTEXT"));

    void add(String name, int port, int advertisedPort) {
      inner.add(name + "://127.0.0.1:" + port);
      advertised.add(name + "://127.0.0.1:" + advertisedPort);
      protocols.add(name + ":PLAINTEXT");
    }

    TcpProxy addProxied(Stage stage, String name) {
      int port = FreePort.find();
      TcpProxy way = stage.closing(new TcpProxy(port));
      add(name, port, way.port());
      return way;
    }

    Map<String, String> settings(List<String> voters) {
      Map<String, String> settings = new HashMap<>();
      settings.put("listeners", String.join(",", inner));
      settings.put("advertised.listeners", String.join(",", advertised));
      settings.put("listener.security.protocol.map", String.join(",", protocols));
      settings.put("inter.broker.listener.name", "BROKERS");
      settings.put("controller.quorum.voters", String.join(",", voters));
      // Compaction when a test asks for it, not in a quarter of a minute.
      settings.put("log.cleaner.backoff.ms", "200");
      // A broker that lags is out of sync soon.
      settings.put("replica.lag.time.max.ms", "3000");
      return settings;
    }
  }

  /** Where all are reached whatever the proxies do. */
  String bootstrap() {
    return directPorts.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
  }

  /** The only way of a node to the brokers. */
  public Road road(int number) {
    return roads.get(number);
  }

  /** The way from the other brokers to one broker. */
  public TcpProxy fromBrokersTo(int number) {
    return fromBrokers.get(number);
  }

  /** One of several. */
  public KafkaBroker broker(int number) {
    return brokers.get(number);
  }

  /** Stops all brokers and starts them again on their ports, with their data. */
  public void restart() {
    try {
      KafkaBroker.restartAll(brokers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends all as a crash would. */
  public void kill() {
    brokers.forEach(KafkaBroker::kill);
  }

  /** All stand still, and their connections stay. */
  public void suspend() {
    try {
      for (KafkaBroker broker : brokers) {
        broker.suspend();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All go on as if no time had passed. */
  public void resume() {
    try {
      for (KafkaBroker broker : brokers) {
        broker.resume();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The end of what they logged. */
  private String transcript() {
    return brokers.stream().map(KafkaProcess::transcript).collect(Collectors.joining("\n"));
  }

  private static String transcript(KafkaBroker broker) {
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
    brokers.forEach(KafkaBroker::close);
  }
}
