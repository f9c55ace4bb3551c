package io.tunnel.it.containers;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.MountableFile;

/**
 * Servers in containers on a network of their own, and their clients there: only containers of this
 * network can go to the addresses that nodes of a cluster name.
 */
final class ContainerService implements AutoCloseable {

  static final String KAFKA_IMAGE = "apache/kafka:" + System.getProperty("kafka.version");

  private static final String TUNNEL = "/opt/tunnel/tunnel";
  private static final String BOOTSTRAP = "kafka:19092";
  private static final String CLASSES = "/it";
  private static final Path STOP = Path.of("/tmp/stop");
  private static final int PORT = 7650;

  private final Network network = Network.newNetwork();
  private final Map<String, GenericContainer<?>> nodes = new TreeMap<>();
  private final List<GenericContainer<?>> others = new ArrayList<>();
  private final GenericContainer<?> tools;

  private ContainerService() {
    tools = program("exec sleep infinity");
  }

  /** A server of the name, with storage of its own. */
  static ContainerService alone(String name) {
    ContainerService service = new ContainerService();
    service.start(Map.of(name, service.server(name, List.of())));
    return service;
  }

  /** A Kafka, and nodes of these names. */
  static ContainerService cluster(String... names) {
    ContainerService service = new ContainerService();
    KafkaContainer kafka =
        new KafkaContainer(KAFKA_IMAGE)
            .withNetwork(service.network)
            .withEnv("KAFKA_HEAP_OPTS", "-Xmx512m")
            .withEnv("KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS", "500")
            .withListener(BOOTSTRAP)
            .withStartupTimeout(Engine.STARTUP_MAX);
    Engine.publishOnLoopback(kafka);
    service.others.add(kafka);
    Map<String, GenericContainer<?>> nodes = new TreeMap<>();
    for (String name : names) {
      nodes.put(name, service.server(name, clusterOptions(name)));
    }
    try {
      kafka.start();
    } catch (RuntimeException e) {
      service.close();
      throw e;
    }
    service.start(nodes);
    return service;
  }

  private static List<String> clusterOptions(String name) {
    return List.of(
        "--log=kafka",
        "--bootstrap=" + BOOTSTRAP,
        "--node=" + name,
        "--advertise=" + name + ":" + PORT,
        "--replication=1",
        "--session-ms=3000");
  }

  private void start(Map<String, GenericContainer<?>> servers) {
    nodes.putAll(servers);
    try {
      nodes.values().forEach(GenericContainer::start);
    } catch (RuntimeException e) {
      System.out.println(logs());
      close();
      throw e;
    }
  }

  private GenericContainer<?> server(String name, List<String> more) {
    List<String> command =
        new ArrayList<>(List.of("server", "--data=/data", "--host=0.0.0.0", "--insecure"));
    command.addAll(more);
    return Engine.container()
        .withNetwork(network)
        .withNetworkAliases(name)
        .withEnv("TUNNEL_JAVA_OPTS", "-Xmx384m")
        .withCommand(command.toArray(String[]::new))
        .waitingFor(Engine.inTime(Wait.forLogMessage("http on .*\\n", 1)));
  }

  /** A container of our image, in the same network, that runs a line of a shell instead. */
  private GenericContainer<?> program(String line) {
    GenericContainer<?> container = Engine.container().withNetwork(network);
    var unused =
        container
            .withCopyToContainer(MountableFile.forHostPath(Evidence.classes()), CLASSES)
            .withCreateContainerCmdModifier(
                create -> create.withEntrypoint("bash", "-c", line).withCmd());
    others.add(container);
    container.start();
    return container;
  }

  /** A program of these tests; its standard input ends when it is told to stop. */
  GenericContainer<?> program(List<String> mainAndArguments) {
    String quoted =
        mainAndArguments.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    return program(
        "exec java -Xmx256m -cp '/opt/tunnel/lib/*:"
            + CLASSES
            + "' "
            + quoted
            + " < <(until [ -e "
            + STOP
            + " ]; do sleep 0.1; done)");
  }

  /** Tells a program to stop, waits until it has, and returns its exit code. */
  static long stop(GenericContainer<?> program) {
    exec(program, "touch", STOP.toString());
    Poll.until(program.getContainerName() + " does not stop", () -> !program.isRunning());
    return Engine.client()
        .inspectContainerCmd(program.getContainerId())
        .exec()
        .getState()
        .getExitCodeLong();
  }

  /** All nodes, for clients inside the network. */
  String endpoint() {
    return nodes.keySet().stream().map(name -> name + ":" + PORT).collect(Collectors.joining(","));
  }

  /** Runs a command of {@code ./tunnel}. */
  private ExecResult run(List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(TUNNEL));
    command.addAll(arguments);
    command.add("--server=" + endpoint());
    return exec(tools, command.toArray(String[]::new));
  }

  /** Runs a command of {@code ./tunnel} that must do what it is asked for. */
  void tunnel(String... arguments) {
    ExecResult result = run(List.of(arguments));
    assertThat(result.getExitCode()).as("%s: %s", List.of(arguments), result).isZero();
  }

  /** Runs a command as {@link #run} does; returns what it prints with {@code --json}. */
  JsonObject json(String... arguments) {
    return tryJson(arguments)
        .orElseThrow(() -> new AssertionError(List.of(arguments) + " has failed"));
  }

  /** Runs a command as {@link #json} does; empty when it fails. */
  Optional<JsonObject> tryJson(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    ExecResult result = run(all);
    return result.getExitCode() == 0
        ? Optional.of(JsonParser.parseString(result.getStdout()).getAsJsonObject())
        : Optional.empty();
  }

  private static ExecResult exec(GenericContainer<?> container, String... command) {
    try {
      return container.execInContainer(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** How many nodes a node sees that answer and take part. */
  int nodesUp() {
    return tryJson("cluster").stream()
        .flatMap(cluster -> cluster.getAsJsonArray("nodes").asList().stream())
        .map(node -> node.getAsJsonObject().get("state").getAsString())
        .mapToInt(state -> state.equals("UP") ? 1 : 0)
        .sum();
  }

  /**
   * Stops all of a node's threads where they are; its connections stay. On a busy machine the
   * engine gives up before all have stopped, and lets them go on.
   */
  void pause(String node) {
    Poll.until("the engine cannot pause " + node, () -> isPaused(node));
  }

  private boolean isPaused(String node) {
    try {
      Engine.client().pauseContainerCmd(id(node)).exec();
      return true;
    } catch (InternalServerErrorException notAllStopped) {
      return false;
    }
  }

  void unpause(String node) {
    Engine.client().unpauseContainerCmd(id(node)).exec();
  }

  /** Ends a node as a crash would. */
  void kill(String node) {
    Engine.client().killContainerCmd(id(node)).exec();
  }

  /** Starts a killed node again on its disk. */
  void restart(String node) {
    Engine.client().startContainerCmd(id(node)).exec();
  }

  /** Takes a node off the network: nobody reaches it, and it reaches nobody. */
  void disconnect(String node) {
    Engine.client()
        .disconnectFromNetworkCmd()
        .withNetworkId(network.getId())
        .withContainerId(id(node))
        .exec();
  }

  void reconnect(String node) {
    Engine.client()
        .connectToNetworkCmd()
        .withNetworkId(network.getId())
        .withContainerId(id(node))
        .withContainerNetwork(new ContainerNetwork().withAliases(node))
        .exec();
  }

  private String id(String node) {
    return nodes.get(node).getContainerId();
  }

  /** What all containers have said, to look for the cause of a failure. */
  String logs() {
    StringBuilder all = new StringBuilder();
    Stream.concat(nodes.values().stream(), others.stream())
        .filter(container -> container.getContainerId() != null)
        .filter(container -> !(container instanceof KafkaContainer))
        .forEach(
            container ->
                all.append("--- ")
                    .append(container.getNetworkAliases())
                    .append('\n')
                    .append(container.getLogs()));
    return all.toString();
  }

  /** Servers before what they stand on. */
  @Override
  public void close() {
    nodes.values().forEach(GenericContainer::stop);
    others.forEach(GenericContainer::stop);
    network.close();
  }
}
