package io.tunnel.programs.torture;

import io.tunnel.kafka.broker.Suspension;
import io.tunnel.programs.servers.JavaProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A real server in a process of its own, with small files, so that segments are sealed, rows
 * flushed and compacted, and changes given up all the time. It ends with this process.
 */
final class TortureServer {

  private static final String READY = "tunnel server listening on ";
  private static final long START_SECONDS_MAX = 300;
  private static final int LOG_LINES_SHOWN = 12;
  private static final String CONFIG =
      """
      {"log": {"shards": 2, "segmentBytesMax": 4194304, "retentionCheckMs": 200},
       "table": {"writeBufferBytes": 1048576, "blockCacheBytes": 8388608}}
      """;

  private final Process process;
  private final Path log;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  private TortureServer(Process process, Path log) {
    this.process = process;
    this.log = log;
    Thread reader = new Thread(this::read, "server-output");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts one with {@code options} on {@code data} and does not wait for it. */
  static TortureServer spawn(String mainClass, Path data, int port, Path work, List<String> options)
      throws IOException {
    Path config = work.resolve("server.json");
    Files.writeString(config, CONFIG);
    Path log = work.resolve("server.log");
    List<String> command = new ArrayList<>();
    command.add(JavaProgram.java());
    // Most of a short life is its start.
    command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    // A node takes snapshots and trims its logs all the time.
    command.addAll(List.of("-Dtunnel.trial.snapshotBytes=65536", "-Dtunnel.trial.trimWaitMs=5000"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(mainClass, "server", "--data", data.toString()));
    command.addAll(List.of("--port", String.valueOf(port), "--http-port", "-1"));
    command.addAll(List.of("--config", config.toString(), "--end-with-parent"));
    command.addAll(options);
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    return new TortureServer(process, log);
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(READY)) {
          ready.complete(null);
        }
      }
    } catch (IOException e) {
      ready.completeExceptionally(e);
    }
    ready.completeExceptionally(new IOException("it ended"));
  }

  /**
   * Waits until it takes requests.
   *
   * @throws ServerRefusedException when it ends instead, or does not come to it
   */
  void awaitReady() throws InterruptedException, IOException {
    try {
      ready.get(START_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      kill();
      String end = JavaProgram.lastLines(log, LOG_LINES_SHOWN);
      throw new ServerRefusedException("the server does not start:\n" + end, e);
    }
  }

  /** Whether it takes requests by then. */
  boolean isReadyWithin(long ms) throws InterruptedException {
    try {
      ready.get(ms, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** Ends it from one moment to the next. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops all its threads, until it is told to go on. */
  void suspend() throws IOException, InterruptedException {
    Suspension.suspend(process.toHandle());
  }

  /** Lets it go on. */
  void resume() throws IOException, InterruptedException {
    Suspension.resume(process.toHandle());
  }

  long pid() {
    return process.pid();
  }

  /** A server does not start on what it has left. */
  static final class ServerRefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    ServerRefusedException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
