package io.tunnel.programs.torture.hostile;

import io.tunnel.cli.security.directory.InitCommand;
import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.sdk.ClientConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * A server of the tool's own, closed and on free ports of the loopback address, with its data and
 * its security directory in a directory that is removed at the end. It ends with this process.
 */
final class HostileServer implements AutoCloseable {

  /** As {@code ./tunnel server} has it, but smaller: an attack is to find the bounds of memory. */
  private static final int HEAP_MIB = 512;

  private static final String MAIN_CLASS = "io.tunnel.cli.TunnelCommand";
  private static final String LISTENING = "tunnel server listening on ";
  private static final String HTTP = "http on ";
  private static final long START_SECONDS_MAX = 90;
  private static final int LOG_LINES_SHOWN = 12;

  private final Path work;
  private final Process process;
  private final CompletableFuture<Integer> port = new CompletableFuture<>();
  private final CompletableFuture<Integer> httpPort = new CompletableFuture<>();

  private HostileServer(Path work, Process process) {
    this.work = work;
    this.process = process;
    Thread reader = new Thread(this::read, "server-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts one in a new directory of {@code parent}, and waits until it takes requests. */
  static HostileServer start(Path parent) throws IOException, InterruptedException {
    Path work = Files.createTempDirectory(parent, "tunnel-hostile-");
    int exit =
        new CommandLine(new InitCommand())
            .setOut(new PrintWriter(Writer.nullWriter()))
            .execute("--dir", security(work).toString());
    if (exit != 0) {
      throw new IOException("no security directory could be made in " + work);
    }
    Process process = new ProcessBuilder(command(work)).redirectError(log(work).toFile()).start();
    HostileServer server = new HostileServer(work, process);
    try {
      server.awaitReady();
      return server;
    } catch (IOException | InterruptedException e) {
      server.close();
      throw e;
    }
  }

  private static Path security(Path work) {
    return work.resolve("security");
  }

  private static Path log(Path work) {
    return work.resolve("server.log");
  }

  private static List<String> command(Path work) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx" + HEAP_MIB + "m", "-XX:+ExitOnOutOfMemoryError"));
    command.add("-XX:+ExplicitGCInvokesConcurrent");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN_CLASS, "server"));
    command.addAll(List.of("--data", work.resolve("data").toString()));
    command.addAll(List.of("--port", "0", "--http-port", "0", "--end-with-parent"));
    command.addAll(List.of("--security", security(work).toString()));
    return command;
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(LISTENING)) {
          port.complete(portIn(line));
        } else if (line.startsWith(HTTP)) {
          httpPort.complete(portIn(line));
        }
      }
    } catch (IOException e) {
      port.completeExceptionally(e);
    }
    port.completeExceptionally(new IOException("it ended"));
    httpPort.completeExceptionally(new IOException("it ended"));
  }

  private static int portIn(String line) {
    return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1).strip());
  }

  private void awaitReady() throws IOException, InterruptedException {
    try {
      port.get(START_SECONDS_MAX, TimeUnit.SECONDS);
      httpPort.get(START_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      String end = JavaProgram.lastLines(log(work), LOG_LINES_SHOWN);
      throw new IOException("the server does not start:\n" + end, e);
    }
  }

  /** Where it listens. */
  Target target() {
    return new Target(port.join(), OptionalInt.of(httpPort.join()), true);
  }

  /** How its administrator reaches it. */
  ClientConfig admin() {
    return ClientConfig.of(
        "profile:" + security(work).resolve("admin.json") + "@127.0.0.1:" + port.join());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Log lines in which the server reports a fault of its own. */
  List<String> blames() throws IOException {
    try (Stream<String> lines = Files.lines(log(work), StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.contains("] ERROR ") || line.contains("OutOfMemory"))
          .toList();
    }
  }

  /**
   * What it may take at most, in bytes: see the memory of a server in
   * docs/operate/configuration.md.
   */
  static long memoryBytesMax() {
    int answers = 128;
    int store = 3 * 64 + 64;
    int program = 256;
    return (long) (HEAP_MIB + answers + store + program) << 20;
  }

  /** The most memory that it had, in bytes, where the system says it. */
  OptionalLong memoryBytes() {
    OptionalLong kibibytes = JavaProgram.status(process.pid(), "VmHWM");
    return kibibytes.isPresent() ? OptionalLong.of(kibibytes.getAsLong() << 10) : kibibytes;
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    List<Path> deepestFirst;
    try (Stream<Path> files = Files.walk(work)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : deepestFirst) {
      boolean unused = Files.deleteIfExists(file);
    }
  }
}
