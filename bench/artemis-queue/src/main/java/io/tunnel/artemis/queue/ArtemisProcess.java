package io.tunnel.artemis.queue;

import io.tunnel.kafka.broker.ChildJvm;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The parent's side of {@link ArtemisMain}. */
final class ArtemisProcess implements LoadPeer.Servers {

  private static final long START_SECONDS_MAX = 120;
  private static final int LOG_LINES_SHOWN_MAX = 15;

  private final Process process;
  private final ReadyLine ready;
  private final List<String> load;
  private final Path gcLog;

  private ArtemisProcess(Process process, ReadyLine ready, List<String> load, Path gcLog) {
    this.process = process;
    this.ready = ready;
    this.load = List.copyOf(load);
    this.gcLog = gcLog;
  }

  /**
   * Starts the broker, and returns when it takes connections.
   *
   * @param load the command of the load, without the address of the broker
   * @throws IOException when the broker does not start; shows the end of the log
   */
  static ArtemisProcess start(List<String> broker, List<String> load, Path log, Path gcLog)
      throws IOException {
    Process process = new ProcessBuilder(broker).redirectError(log.toFile()).start();
    CompletableFuture<ReadyLine> ready = new CompletableFuture<>();
    Thread reader = new Thread(() -> read(process, ready), "artemis-output");
    reader.setDaemon(true);
    reader.start();
    try {
      return new ArtemisProcess(
          process, ready.get(START_SECONDS_MAX, TimeUnit.SECONDS), load, gcLog);
    } catch (ExecutionException | TimeoutException e) {
      process.destroyForcibly();
      ChildJvm.awaitEnd(process);
      throw new IOException(
          "Artemis did not start; the end of its log:\n" + ChildJvm.endOf(log, LOG_LINES_SHOWN_MAX),
          e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while Artemis started", e);
    }
  }

  /** Reads to the end, or the broker would block on a full pipe. */
  private static void read(Process process, CompletableFuture<ReadyLine> ready) {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        ReadyLine.parse(line).ifPresent(ready::complete);
      }
    } catch (IOException broken) {
      // A broken pipe counts as the end of the child.
    }
    ready.completeExceptionally(new IOException("the process has ended"));
  }

  @Override
  public List<Long> pids() {
    return List.of(process.pid());
  }

  @Override
  public Path gcLog() {
    return gcLog;
  }

  @Override
  public String settings() {
    return "Artemis has its defaults without security; its journal is "
        + ready.journal()
        + ", with a write buffer that waits for about the time of one sync of this disk.";
  }

  @Override
  public List<String> loadCommand() {
    List<String> command = new ArrayList<>(load);
    command.add("tcp://127.0.0.1:" + ready.port());
    return command;
  }

  @Override
  public void close() {
    process.destroy();
    ChildJvm.awaitEnd(process);
  }
}
