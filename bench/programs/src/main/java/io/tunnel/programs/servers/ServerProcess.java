package io.tunnel.programs.servers;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server in a child process. The server ends when this process ends in any way: the server
 * watches its standard input, a pipe from this process.
 */
public final class ServerProcess implements StartedServers {

  private static final String READY = "tunnel server listening on ";

  /** The line behind {@link #READY}. */
  private static final String HTTP = "http on ";

  private static final long START_SECONDS_MAX = 60;

  private static final int LOG_LINES_SHOWN = 15;

  /** Several share this machine. */
  private static final String NODE_HEAP = "-Xmx512m";

  private final Process process;
  private final Addresses addresses;

  /** Where a server takes requests, each as HOST:PORT. */
  private record Addresses(String endpoint, String http) {}

  private ServerProcess(Process process, Addresses addresses) {
    this.process = process;
    this.addresses = addresses;
  }

  /**
   * Starts a server on free ports and waits until it takes requests.
   *
   * @param mainClass has the arguments {@code server --data … --port 0 --http-port 0}
   * @param log takes what the server prints
   */
  public static ServerProcess start(
      String mainClass, Path data, Path log, LoopbackSecurity security)
      throws IOException, InterruptedException {
    List<String> command = command(mainClass, data, List.of());
    command.addAll(security.arguments());
    return start(new ProcessBuilder(command), log);
  }

  /** Starts one in the same way, whose JVM has more options: they win over those of this one. */
  public static ServerProcess start(String mainClass, Path data, Path log, List<String> jvmOptions)
      throws IOException, InterruptedException {
    return start(mainClass, data, log, jvmOptions, List.of());
  }

  /** Starts one in the same way, with more arguments of the server. */
  public static ServerProcess start(
      String mainClass, Path data, Path log, List<String> jvmOptions, List<String> more)
      throws IOException, InterruptedException {
    List<String> command = command(mainClass, data, jvmOptions);
    command.addAll(more);
    return start(new ProcessBuilder(command), log);
  }

  /** Starts a node of a cluster in the same way, with a heap of its own and more arguments. */
  static ServerProcess startNode(String mainClass, Path data, Path log, List<String> more)
      throws IOException, InterruptedException {
    List<String> command = command(mainClass, data, List.of(NODE_HEAP));
    command.addAll(more);
    return start(new ProcessBuilder(command), log);
  }

  private static ServerProcess start(ProcessBuilder builder, Path log)
      throws IOException, InterruptedException {
    Process process = builder.redirectError(log.toFile()).start();
    CompletableFuture<Addresses> ready = new CompletableFuture<>();
    Thread reader = new Thread(() -> read(process, ready), "server-output");
    reader.setDaemon(true);
    reader.start();
    try {
      return new ServerProcess(process, ready.get(START_SECONDS_MAX, TimeUnit.SECONDS));
    } catch (ExecutionException | TimeoutException e) {
      process.destroyForcibly().waitFor();
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          (e instanceof TimeoutException
                  ? "the server did not start within " + START_SECONDS_MAX + " s"
                  : "the server ended instead of starting")
              + "; the end of its log:\n"
              + JavaProgram.lastLines(log, LOG_LINES_SHOWN));
    }
  }

  private static List<String> command(String mainClass, Path data, List<String> options) {
    return JavaProgram.command(options, mainClass, arguments(data));
  }

  private static List<String> arguments(Path data) {
    return List.of(
        "server",
        "--data",
        data.toString(),
        "--port",
        "0",
        "--http-port",
        "0",
        "--end-with-parent");
  }

  /** Reads to the end, or the server would block on a full pipe. */
  private static void read(Process process, CompletableFuture<Addresses> ready) {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      String endpoint = "";
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(READY)) {
          endpoint = line.substring(READY.length()).strip();
        } else if (line.startsWith(HTTP)) {
          ready.complete(new Addresses(endpoint, line.substring(HTTP.length()).strip()));
        }
      }
    } catch (IOException e) {
      ready.completeExceptionally(e);
    }
    ready.completeExceptionally(new IllegalStateException("no more output"));
  }

  @Override
  public String endpoint() {
    return addresses.endpoint();
  }

  @Override
  public String httpAddress() {
    return addresses.http();
  }

  /** Names the process. */
  public long pid() {
    return process.pid();
  }

  /** Whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  @Override
  public long residentBytes() {
    return JavaProgram.residentBytes(process.pid());
  }

  /** Stops it gracefully. */
  @Override
  public void close() {
    JavaProgram.stop(process);
  }
}
