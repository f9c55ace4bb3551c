package io.tunnel.kafka.broker;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
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
 * One broker that is its own controller (KRaft), or one of several that are controllers together,
 * in a child JVM, on two loopback ports that it keeps over restarts. Everything of it is in one
 * directory, its log in {@code broker.log} there.
 *
 * <p>Settings are the broker's own; what one broker alone needs is set already. The child ends with
 * this JVM, however that ends, unless it is suspended then.
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

  /** Starts a broker with the heap of one for tests. */
  public static KafkaBroker start(Path directory, Map<String, String> settings) throws IOException {
    return start(directory, settings, HEAP_MIB);
  }

  /**
   * Starts a broker and returns when it takes connections.
   *
   * @param directory of this broker alone; made if it is not there
   * @param settings the broker's, in its own words; they go before ours
   * @param heapMib of its JVM
   * @throws IOException when it does not start within three minutes; it shows the end of its log
   */
  public static KafkaBroker start(Path directory, Map<String, String> settings, int heapMib)
      throws IOException {
    List<Integer> ports = freePorts(2);
    int port = ports.get(0);
    Map<String, String> all = settings(directory, port, 1, ports.subList(1, 2));
    all.putAll(settings);
    KafkaBroker broker = notStarted(directory, port, all, heapMib);
    startAll(List.of(broker));
    return broker;
  }

  /**
   * Starts brokers that are controllers together, and returns when all of them take connections.
   *
   * @param directory of all of them, each in one of its own below
   * @param settings one for each, in its own words; they go before ours
   */
  public static List<KafkaBroker> startQuorum(Path directory, List<Map<String, String>> settings)
      throws IOException {
    List<Integer> ports = freePorts(2 * settings.size());
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
    // The id of the cluster says nothing; it has to be the same for all, and after a restart.
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
    // All but one of them, as far as there are others.
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
    // A group of one begins at once; dropped topics go at once.
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("group.min.session.timeout.ms", "500");
    // After it was killed it is refused until its former self is given up.
    settings.put("broker.session.timeout.ms", "3000");
    settings.put("broker.heartbeat.interval.ms", "500");
    settings.put("file.delete.delay.ms", "1000");
    // One cleaner with little memory, instead of 128 MiB of a small heap.
    settings.put("log.cleaner.dedupe.buffer.size", "4194304");
    return settings;
  }

  /** So many different ports: each is held until all are found, or one could be given twice. */
  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  /** Where clients connect to, as HOST:PORT; the same for the whole life of this object. */
  public String bootstrap() {
    return "127.0.0.1:" + port;
  }

  /** The file that the broker logs to. */
  public Path log() {
    return directory.resolve("broker.log");
  }

  /**
   * Starts it again, on its ports and with its data; stops it before if it runs.
   *
   * @throws IOException when it does not start within three minutes; it shows the end of its log
   */
  public void restart() throws IOException {
    restartAll(List.of(this));
  }

  /**
   * As {@link #restart}, of several at once: of controllers none is ready before most of them are.
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

  /** An empty line when the process ends before it says anything. */
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

  /** Stops it as an operator would: it hands over what it leads and closes its files. */
  public synchronized void stop() {
    if (child.isEmpty()) {
      return;
    }
    Process process = child.get();
    // Not Process.destroy, which also closes its standard input, and so ends it at once.
    boolean unused = process.toHandle().destroy();
    ChildJvm.awaitEnd(process);
    child = Optional.empty();
  }

  /** Ends it from one moment to the next, as SIGKILL does; also when it is suspended. */
  public synchronized void kill() {
    child.ifPresent(
        process -> {
          process.destroyForcibly();
          ChildJvm.awaitEnd(process);
        });
    child = Optional.empty();
  }

  /** Stops all its threads, as SIGSTOP does: its connections stay open, and it answers nothing. */
  public synchronized void suspend() throws IOException {
    try {
      Suspension.suspend(running().toHandle());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Lets it go on. */
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

  /** The processor time that the broker has taken since it was started. */
  public synchronized long cpuNanos() {
    return ChildJvm.cpuNanos(running());
  }

  private Process running() {
    return child.orElseThrow(() -> new IllegalStateException("the broker does not run"));
  }

  /** Ends it; its directory stays. Idempotent. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(endWithThisJvm);
    } catch (IllegalStateException e) {
      // This JVM is ending; the hook does the same as we.
    }
    end();
  }

  private synchronized void end() {
    kill();
  }
}
