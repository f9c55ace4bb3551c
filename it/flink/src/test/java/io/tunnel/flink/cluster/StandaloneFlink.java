package io.tunnel.flink.cluster;

import io.tunnel.fixtures.FreePort;
import io.tunnel.fixtures.Poll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Flink as its distribution is started: a job manager and two task managers, each a process, with
 * the uber jar in lib/. When a test has failed, all that its processes said is printed.
 */
final class StandaloneFlink implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

  static final int SLOTS = 2;

  /** A job may start while several processes do. */
  private static final Duration LONG = Duration.ofSeconds(90);

  private static final int MANAGERS = 2;
  private static final Pattern SUBMITTED = Pattern.compile("submitted with JobID (\\w+)");
  private static final Pattern SAVEPOINT = Pattern.compile("Savepoint completed. Path: (\\S+)");

  private final Path distribution = Path.of(System.getProperty("flink.home")).toAbsolutePath();
  private final List<FlinkProcess> processes = new ArrayList<>();
  private final Map<String, FlinkProcess> managers = new LinkedHashMap<>();
  private final Set<String> killed = new HashSet<>();
  private final int restPort = FreePort.find();
  private final FlinkRest rest = new FlinkRest(restPort);
  private Path home;
  private FlinkProcess jobManager;
  private boolean hasFailed;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    home = Files.createTempDirectory("tunnel-it-flink");
    for (String directory : List.of("conf", "log", "plugins", "tmp", "checkpoints", "savepoints")) {
      Files.createDirectory(home.resolve(directory));
    }
    Files.write(home.resolve("conf/config.yaml"), configuration());
    Files.write(home.resolve("conf/log4j-console.properties"), logging("INFO"));
    // What clients print is looked at, and what fails they print themselves.
    Files.write(home.resolve("conf/log4j-cli.properties"), logging("ERROR"));
    jobManager =
        server(
            "jobmanager",
            "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
            List.of("--configDir", home.resolve("conf").toString()));
    for (int i = 0; i < MANAGERS; i++) {
      startManager();
    }
    awaitSlots(MANAGERS * SLOTS);
  }

  private static List<String> logging(String level) {
    return List.of(
        "rootLogger.level = " + level,
        "rootLogger.appenderRef.console.ref = Console",
        "appender.console.name = Console",
        "appender.console.type = CONSOLE",
        "appender.console.layout.type = PatternLayout",
        "appender.console.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1.} - %m%n");
  }

  private List<String> configuration() {
    String base = home.toUri().toString();
    return List.of(
        "jobmanager.rpc.address: 127.0.0.1",
        "jobmanager.rpc.port: " + FreePort.find(),
        "jobmanager.bind-host: 127.0.0.1",
        "rest.address: 127.0.0.1",
        "rest.bind-address: 127.0.0.1",
        "rest.port: " + restPort,
        "taskmanager.host: 127.0.0.1",
        "taskmanager.bind-host: 127.0.0.1",
        "taskmanager.numberOfTaskSlots: " + SLOTS,
        "taskmanager.load-balance.mode: SLOTS",
        // What the scripts compute from the size of the process.
        "taskmanager.cpu.cores: 1.0",
        "taskmanager.memory.framework.heap.size: 64m",
        "taskmanager.memory.framework.off-heap.size: 64m",
        "taskmanager.memory.jvm-metaspace.size: 128m",
        "taskmanager.memory.jvm-overhead.min: 64m",
        "taskmanager.memory.jvm-overhead.max: 64m",
        "taskmanager.memory.task.heap.size: 192m",
        "taskmanager.memory.task.off-heap.size: 0m",
        "taskmanager.memory.managed.size: 64m",
        "taskmanager.memory.network.min: 32m",
        "taskmanager.memory.network.max: 32m",
        // A task manager that is gone is noticed soon.
        "heartbeat.interval: 1000",
        "heartbeat.timeout: 10000",
        "heartbeat.rpc-failure-threshold: 2",
        "restart-strategy.type: fixed-delay",
        "restart-strategy.fixed-delay.attempts: 100",
        "restart-strategy.fixed-delay.delay: 200ms",
        "execution.checkpointing.dir: " + base + "checkpoints",
        "execution.checkpointing.savepoint-dir: " + base + "savepoints",
        "io.tmp.dirs: " + home.resolve("tmp"));
  }

  /** A program of the cluster, as {@code bin/flink-console.sh} starts it. */
  private FlinkProcess server(String name, String mainClass, List<String> arguments) {
    return start(name, new FlinkProcess.Program(lib(), "log4j-console", mainClass), arguments);
  }

  /** A program for users. */
  private FlinkProcess client(
      String name, String classPath, String mainClass, List<String> arguments) {
    return start(name, new FlinkProcess.Program(classPath, "log4j-cli", mainClass), arguments);
  }

  private FlinkProcess start(String name, FlinkProcess.Program program, List<String> arguments) {
    FlinkProcess process =
        FlinkProcess.start(name + "-" + processes.size(), home, program, arguments);
    processes.add(process);
    return process;
  }

  private String lib() {
    return distribution.resolve("lib/*").toString();
  }

  /** One task manager more. */
  void startManager() {
    String id = "manager" + managers.size();
    FlinkProcess manager =
        server(
            id,
            "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
            List.of(
                "--configDir",
                home.resolve("conf").toString(),
                "-D",
                "taskmanager.resource-id=" + id));
    managers.put(id, manager);
  }

  /** Returns when living task managers have so many slots. */
  void awaitSlots(int count) {
    until(
        () -> rest.slots() + " slots of " + count,
        () -> {
          requireAlive();
          return rest.slots() == count;
        });
  }

  /** Waits for what Flink and its jobs will have done; fails with what is missing. */
  static void until(Supplier<String> whatIsMissing, BooleanSupplier condition) {
    Poll.until(LONG, condition, whatIsMissing);
  }

  private void requireAlive() {
    if (!jobManager.isAlive()) {
      throw new AssertionError("the job manager has ended");
    }
    managers.forEach(
        (id, manager) -> {
          if (!manager.isAlive() && !killed.contains(id)) {
            throw new AssertionError(id + " has ended");
          }
        });
  }

  /** Ends a task manager as a crash would. */
  void killManager(String id) {
    killed.add(id);
    managers.get(id).close();
  }

  /** The uber jar of the connector. */
  Path connector() throws IOException {
    return jar("lib", "tunnel-flink-");
  }

  /** That of the rates. */
  Path rates() throws IOException {
    return jar("jobs", "perf-flink-");
  }

  private Path jar(String directory, String prefix) throws IOException {
    try (Stream<Path> jars = Files.list(distribution.resolve(directory))) {
      return jars.filter(jar -> jar.getFileName().toString().startsWith(prefix))
          .findFirst()
          .orElseThrow();
    }
  }

  FlinkRest rest() {
    return rest;
  }

  Path home() {
    return home;
  }

  /** {@code bin/sql-client.sh -f}: the output of all statements, each of which must succeed. */
  String sql(String statements) throws IOException {
    Path file = home.resolve("statements-" + processes.size() + ".sql");
    Files.writeString(file, statements);
    String classPath = lib() + ":" + distribution.resolve("opt/*");
    String said =
        client(
                "sql-client",
                classPath,
                "org.apache.flink.table.client.SqlClient",
                List.of("-f", file.toString()))
            .finished();
    // It ends well also when it stops at a statement that fails.
    if (said.contains("[ERROR]")) {
      throw new AssertionError(said.substring(said.indexOf("[ERROR]")));
    }
    return said;
  }

  /** {@code bin/flink run}: the id of the job. */
  String run(List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("run", "--detached"));
    all.addAll(arguments);
    return said(SUBMITTED, all);
  }

  /** {@code bin/flink run} of a program that waits for its job: what it printed. */
  String runToEnd(List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("run"));
    all.addAll(arguments);
    return flink(all);
  }

  /** {@code bin/flink stop}: where the savepoint is. */
  String stop(String job) {
    String directory = home.resolve("savepoints").toUri().toString();
    return said(SAVEPOINT, List.of("stop", "--savepointPath", directory, job));
  }

  /** {@code bin/flink cancel}. */
  void cancel(String job) {
    var unused = said(Pattern.compile("(Cancelled) job"), List.of("cancel", job));
  }

  private String flink(List<String> arguments) {
    return client(arguments.get(0), lib(), "org.apache.flink.client.cli.CliFrontend", arguments)
        .finished();
  }

  private String said(Pattern pattern, List<String> arguments) {
    String output = flink(arguments);
    Matcher found = pattern.matcher(output);
    if (!found.find()) {
      throw new AssertionError("no '" + pattern + "' in " + output);
    }
    return found.group(1);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    hasFailed |= context.getExecutionException().isPresent();
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    hasFailed |= context.getExecutionException().isPresent();
    if (hasFailed) {
      System.out.println(
          processes.stream().map(FlinkProcess::transcript).collect(Collectors.joining("\n")));
    }
    processes.forEach(FlinkProcess::close);
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
