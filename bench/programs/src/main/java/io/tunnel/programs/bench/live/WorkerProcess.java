package io.tunnel.programs.bench.live;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import io.tunnel.programs.servers.JavaProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** {@code tunnel perf} in a child process: one worker with figures for each second. */
public final class WorkerProcess implements AutoCloseable {

  private static final Gson GSON = new Gson();
  private static final String INTERVAL = "interval";
  private static final int LOG_LINES_SHOWN = 5;

  private final Process process;
  private final Path log;
  private final List<Second> seconds = new CopyOnWriteArrayList<>();

  private WorkerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * A line of {@code tunnel perf}, as docs/guides/load-test.md explains its members.
   *
   * @param timestampMs when its second was over, since 1970
   */
  public record Second(
      String kind,
      long timestampMs,
      double rowsPerSecond,
      double bytesPerSecond,
      double latencyP50Ms,
      double latencyP99Ms,
      double coresUsed) {}

  /** Starts it; {@code log} takes what it prints to standard error. */
  public static WorkerProcess start(String mainClass, List<String> arguments, Path log)
      throws IOException {
    Process process =
        new ProcessBuilder(JavaProgram.command(List.of(), mainClass, arguments))
            .redirectError(log.toFile())
            .start();
    WorkerProcess worker = new WorkerProcess(process, log);
    Thread reader = new Thread(worker::read, "worker-output");
    reader.setDaemon(true);
    reader.start();
    return worker;
  }

  /** Reads to the end, or the process would block on a full pipe. */
  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Second second = GSON.fromJson(line, Second.class);
        if (second != null && INTERVAL.equals(second.kind())) {
          seconds.add(second);
        }
      }
    } catch (IOException | JsonSyntaxException ended) {
      // isAlive says that the process is gone, and seconds() that no line comes any more.
    }
  }

  /** What it has said so far. */
  public List<Second> seconds() {
    return List.copyOf(seconds);
  }

  /** Whether it still runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Memory of the process; 0 where the system does not say as Linux does. */
  public long residentBytes() {
    return JavaProgram.residentBytes(process.pid());
  }

  /** The end of what it printed to standard error. */
  public String lastWords() {
    try {
      return JavaProgram.lastLines(log, LOG_LINES_SHOWN);
    } catch (IOException e) {
      return "(its log cannot be read)";
    }
  }

  /** Stops it gracefully. */
  @Override
  public void close() {
    JavaProgram.stop(process);
  }
}
