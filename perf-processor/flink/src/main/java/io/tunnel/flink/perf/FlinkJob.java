package io.tunnel.flink.perf;

import io.tunnel.perf.PerfEngine.Task;
import io.tunnel.perf.PerfJob;
import io.tunnel.perf.PerfWindow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.FileUtils;

/** A submitted job, whose windows a thread of its own fetches. */
final class FlinkJob implements PerfJob {

  private static final long STOP_SECONDS_MAX = 30;
  private static final int WAITING_MAX = 10_000;

  private final long intervalMs;
  private final JobClient client;
  private final CloseableIterator<WindowCounts> windows;
  private final Optional<Path> savepoints;
  private final BlockingQueue<WindowCounts> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Thread fetcher;
  private boolean isReading;
  private volatile Optional<String> failure = Optional.empty();

  private FlinkJob(
      long intervalMs,
      JobClient client,
      CloseableIterator<WindowCounts> windows,
      Optional<Path> savepoints) {
    this.intervalMs = intervalMs;
    this.client = client;
    this.windows = windows;
    this.savepoints = savepoints;
    this.fetcher = new Thread(this::fetch, "perf-windows");
    fetcher.setDaemon(true);
  }

  /**
   * Submits it.
   *
   * @param isLocal whether it runs in this process; a cluster has a place of its own for savepoints
   */
  static FlinkJob start(StreamExecutionEnvironment env, Task task, boolean isLocal) {
    CloseableIterator<WindowCounts> windows = RateJob.windows(env, task).collectAsync();
    // Made before the job is submitted: a failure after that would leave the job running.
    Optional<Path> savepoints = isLocal ? Optional.of(directory()) : Optional.empty();
    try {
      JobClient client = env.executeAsync("tunnel perf " + task.place().table());
      return of(task.intervalMs(), client, windows, savepoints);
    } catch (Exception e) {
      savepoints.ifPresent(FlinkJob::delete);
      throw new IllegalStateException("the job could not be submitted: " + reason(e), e);
    }
  }

  /**
   * A job that was submitted, whose windows are fetched from now on.
   *
   * @param savepoints a directory for savepoints, which is deleted with the job; empty where the
   *     cluster has one
   */
  static FlinkJob of(
      long intervalMs,
      JobClient client,
      CloseableIterator<WindowCounts> windows,
      Optional<Path> savepoints) {
    FlinkJob job = new FlinkJob(intervalMs, client, windows, savepoints);
    job.fetcher.start();
    return job;
  }

  private static Path directory() {
    try {
      return Files.createTempDirectory("tunnel-perf");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void fetch() {
    try {
      while (windows.hasNext()) {
        waiting.put(windows.next());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure = Optional.of(reason(e));
    }
  }

  @Override
  public Optional<PerfWindow> next(long waitMs) throws InterruptedException {
    WindowCounts next = waiting.poll(waitMs, TimeUnit.MILLISECONDS);
    if (next == null) {
      return Optional.empty();
    }
    // A job that was started anew by Flink starts again.
    isReading = true;
    return next.isStart() ? Optional.empty() : Optional.of(window(next));
  }

  private PerfWindow window(WindowCounts counts) {
    Map<String, Long> rowsByChannel = new HashMap<>();
    counts.rowsByPartition.forEach((id, rows) -> rowsByChannel.put(Integer.toString(id), rows));
    return new PerfWindow(
        counts.startMs + intervalMs,
        intervalMs,
        new PerfWindow.Rows(rowsByChannel, counts.bytes, counts.late, counts.aheadOfClock),
        counts.histogram(),
        new PerfWindow.Cost(counts.cpuNanos, counts.heapUsedBytes, counts.firstReadMs));
  }

  @Override
  public boolean isReading() {
    return isReading;
  }

  @Override
  public long delayMs() {
    return intervalMs + TotalWindows.QUIET_MS + 2 * TotalWindows.LOOK_MS;
  }

  @Override
  public boolean hasEnded() {
    return !fetcher.isAlive() && waiting.isEmpty();
  }

  @Override
  public Optional<String> failure() {
    return failure;
  }

  @Override
  public Optional<String> stop() {
    String place = savepoints.map(path -> path.toUri().toString()).orElse(null);
    try {
      client
          .stopWithSavepoint(true, place, SavepointFormatType.CANONICAL)
          .get(STOP_SECONDS_MAX, TimeUnit.SECONDS);
      return Optional.empty();
    } catch (ExecutionException | TimeoutException | IllegalStateException e) {
      cancel();
      return Optional.of("the job did not stop with a savepoint: " + reason(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      cancel();
      return Optional.of("interrupted");
    }
  }

  private void cancel() {
    try {
      var unused = client.cancel();
    } catch (IllegalStateException hasEnded) {
      // A cluster in this process ends with its job.
    }
  }

  /**
   * Ends the job, also when its windows cannot be fetched any more: a job manager that is away for
   * a moment ends the fetching, and not the job.
   *
   * @throws IllegalStateException when the job may run on, because the cluster does not answer
   */
  @Override
  public void close() {
    // An interrupted thread asks the cluster, too: nobody else would end the job.
    boolean wasInterrupted = Thread.interrupted();
    try {
      fetcher.interrupt();
      new JobEnd(client).require();
      windows.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("the job's windows cannot be closed: " + reason(e), e);
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
      savepoints.ifPresent(FlinkJob::delete);
    }
  }

  private static void delete(Path directory) {
    try {
      FileUtils.deleteDirectory(directory.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What is at the bottom of what Flink wraps. */
  static String reason(Throwable failure) {
    Throwable cause = ExceptionUtils.stripExecutionException(failure);
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
