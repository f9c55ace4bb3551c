package io.tunnel.kafka.broker;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A broker (KRaft) in a child JVM: its own controller, or a member of a quorum of controllers. It
 * keeps its two loopback ports over restarts. One directory has all files of the broker, with the
 * log in {@code broker.log}.
 *
 * <p>Settings have the broker's names; the defaults suit a single broker. The child ends with this
 * JVM, in every way that this JVM may end, unless the child is suspended.
 */
public final class KafkaBroker implements Closeable {

  /** The heap of a broker for tests, in MiB. */
  public static final int HEAP_MIB = 384;

  private static final String LIBRARIES = "broker-libraries";
  private static final long START_SECONDS_MAX = 180;
  private static final int LOG_LINES_SHOWN_MAX = 40;

  private final Path directory;
  private final int port;
  private final List<String> command;
  private final Thread endWithThisJvm = new Thread(this::end, "end-broker");
  private Optional<Process> child = Optional.empty();

  private KafkaBroker(Path directory, int port, List<String> command) {
    this.directory = directory;
    this.port = port;
    this.command = List.copyOf(command);
    Runtime.getRuntime().addShutdownHook(endWithThisJvm);
  }

  /** Starts a broker with the heap for tests. */
  public static KafkaBroker start(Path directory, Map<String, String> settings) throws IOException {
    return start(directory, settings, HEAP_MIB);
  }

  /**
   * Starts a broker and returns when the broker takes connections.
   *
   * @param directory the directory of this broker alone; created if missing
   * @param settings settings of the broker, which override the defaults
   * @param heapMib the heap of the JVM, in MiB
   * @throws IOException when the broker does not start within three minutes; shows the end of the
   *     log
   */
  public static KafkaBroker start(Path directory, Map<String, String> settings, int heapMib)
      throws IOException {
    List<Integer> ports = FreePorts.find(2);
    int port = ports.get(0);
    Map<String, String> all = settings(directory, port, 1, ports.subList(1, 2));
    all.putAll(settings);
    KafkaBroker broker = notStarted(directory, port, all, heapMib);
    startAll(List.of(broker));
    return broker;
  }

  /**
   * Starts brokers that form a quorum of controllers, and returns when all brokers take
   * connections.
   *
   * @param directory the directory of the brokers, with a subdirectory per broker
   * @param settings settings per broker, which override the defaults
   */
  public static List<KafkaBroker> startQuorum(Path directory, List<Map<String, String>> settings)
      throws IOException {
    List<Integer> ports = FreePorts.find(2 * settings.size());
    List<Integer> controllerPorts = ports.subList(0, settings.size());
    List<KafkaBroker> brokers = new ArrayList<>();
    for (int id = 1; id <= settings.size(); id++) {
      int port = ports.get(settings.size() + id - 1);
      Path own = directory.resolve("broker-" + id);
      Map<String, String> all = settings(own, port, id, controllerPorts);
      all.putAll(settings.get(id - 1));
      brokers.add(notStarted(own, port, all, HEAP_MIB));
    }
    startAll(brokers);
    return List.copyOf(brokers);
  }

  private static KafkaBroker notStarted(
      Path directory, int port, Map<String, String> settings, int heapMib) throws IOException {
    Files.createDirectories(directory);
    Path file = directory.resolve("broker.properties");
    List<String> lines = new ArrayList<>();
    settings.forEach((name, value) -> lines.add(name + "=" + value.replace("\\", "\\\\")));
    Files.write(file, lines);
    List<String> command = ChildJvm.command(BrokerMain.class, LIBRARIES, directory, heapMib);
    // The id of the cluster is arbitrary, but must be equal for all brokers and restarts.
    command.addAll(List.of(file.toString(), "AAAAAAAAAAAAAAAAAAAAAQ"));
    return new KafkaBroker(directory, port, command);
  }

  private static void startAll(List<KafkaBroker> brokers) throws IOException {
    try {
      restartAll(brokers);
    } catch (IOException e) {
      brokers.forEach(KafkaBroker::close);
      throw e;
    }
  }

  private static Map<String, String> settings(
      Path directory, int port, int id, List<Integer> controllerPorts) {
    List<String> voters = new ArrayList<>();
    for (int voter = 1; voter <= controllerPorts.size(); voter++) {
      voters.add(voter + "@127.0.0.1:" + controllerPorts.get(voter - 1));
    }
    int controllerPort = controllerPorts.get(id - 1);
    int copies = controllerPorts.size();
    // One fewer than the brokers, at least one.
    int inSync = Math.max(1, copies - 1);
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "" + id);
    settings.put("controller.quorum.voters", String.join(",", voters));
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("log.dirs", directory.resolve("data").toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("offsets.topic.replication.factor", "" + copies);
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "" + copies);
    settings.put("transaction.state.log.min.isr", "" + inSync);
    settings.put("transaction.state.log.num.partitions", "1");
    settings.put("share.coordinator.state.topic.replication.factor", "" + copies);
    settings.put("share.coordinator.state.topic.min.isr", "" + inSync);
    // A group starts without a delay; deleted topics go at once.
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("group.min.session.timeout.ms", "500");
    // After a kill, the controller refuses the broker until its former session has timed out.
    settings.put("broker.session.timeout.ms", "3000");
    settings.put("broker.heartbeat.interval.ms", "500");
    settings.put("file.delete.delay.ms", "1000");
    // One log cleaner with little memory, instead of 128 MiB of a small heap.
    settings.put("log.cleaner.dedupe.buffer.size", "4194304");
    return settings;
  }

  /** The address for clients, as HOST:PORT; never changes. */
  public String bootstrap() {
    return "127.0.0.1:" + port;
  }

  /** The log file of the broker. */
  public Path log() {
    return directory.resolve("broker.log");
  }

  /**
   * Restarts the broker with its ports and data; stops a running broker first.
   *
   * @throws IOException when the broker does not start within three minutes; shows the end of the
   *     log
   */
  public void restart() throws IOException {
    restartAll(List.of(this));
  }

  /**
   * As {@link #restart}, for several brokers at once: a controller is ready only when most
   * controllers are.
   */
  public static void restartAll(List<KafkaBroker> brokers) throws IOException {
    for (KafkaBroker broker : brokers) {
      broker.stop();
    }
    for (KafkaBroker broker : brokers) {
      broker.begin();
    }
    for (KafkaBroker broker : brokers) {
      broker.awaitReady();
    }
  }

  private synchronized void begin() throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    child = Optional.of(process);
  }

  private synchronized void awaitReady() throws IOException {
    try {
      awaitReady(running());
    } catch (IOException e) {
      kill();
      throw e;
    }
  }

  private void awaitReady(Process process) throws IOException {
    CompletableFuture<String> firstLine = new CompletableFuture<>();
    Thread reader =
        new Thread(() -> firstLine.complete(readFirstLine(process)), "await-broker-" + port);
    reader.setDaemon(true);
    reader.start();
    String line;
    try {
      line = firstLine.get(START_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IOException(
          "the broker did not start within " + START_SECONDS_MAX + " s" + endOfLog(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the broker started", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the first line is never an error", e);
    }
    if (!line.equals(BrokerMain.READY)) {
      throw new IOException("the broker did not start" + endOfLog());
    }
  }

  /** An empty line when the process ends before its first line. */
  private static String readFirstLine(Process process) {
    try {
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = reader.readLine();
      return line == null ? "" : line;
    } catch (IOException ended) {
      return "";
    }
  }

  private String endOfLog() throws IOException {
    return "; the end of " + log() + ":\n" + ChildJvm.endOf(log(), LOG_LINES_SHOWN_MAX);
  }

  /**
   * Stops the broker as an operator would: the broker hands over its partitions and closes its
   * files.
   */
  public synchronized void stop() {
    if (child.isEmpty()) {
      return;
    }
    Process process = child.get();
    // Not Process.destroy, which also closes the child's standard input, and so ends the child at
    // once.
    boolean unused = process.toHandle().destroy();
    ChildJvm.awaitEnd(process);
    child = Optional.empty();
  }

  /** Kills the broker with SIGKILL; also a suspended one. */
  public synchronized void kill() {
    child.ifPresent(
        process -> {
          process.destroyForcibly();
          ChildJvm.awaitEnd(process);
        });
    child = Optional.empty();
  }

  /** Suspends the broker with SIGSTOP: connections stay open, but the broker does not answer. */
  public synchronized void suspend() throws IOException {
    try {
      Suspension.suspend(running().toHandle());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Resumes a suspended broker. */
  public synchronized void resume() throws IOException {
    try {
      Suspension.resume(running().toHandle());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static IOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IOException("interrupted while a signal was sent to the broker", e);
  }

  /** The processor time of the broker since its start. */
  public synchronized long cpuNanos() {
    return ChildJvm.cpuNanos(running());
  }

  private Process running() {
    return child.orElseThrow(() -> new IllegalStateException("the broker does not run"));
  }

  /** Ends the broker; its directory stays. Idempotent. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(endWithThisJvm);
    } catch (IllegalStateException e) {
      // This JVM is ending, and its hook kills the child.
    }
    end();
  }

  private synchronized void end() {
    kill();
  }
}
