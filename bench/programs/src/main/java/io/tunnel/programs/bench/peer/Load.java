package io.tunnel.programs.bench.peer;

import io.tunnel.terminal.CommandFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Writes rows as fast as a writer takes them, from several threads. */
public final class Load {

  private final int threads;
  private final long secondsMax;
  private final RowPlan plan;
  private final Progress progress;

  /** Writes from {@code threads} threads, for at most {@code secondsMax} seconds. */
  public Load(int threads, long secondsMax) {
    this(threads, secondsMax, RowPlan.DEFAULT, Progress.NONE);
  }

  /** Writes rows of that plan, and tells {@code progress} how far it is. */
  public Load(int threads, long secondsMax, RowPlan plan, Progress progress) {
    this.threads = threads;
    this.secondsMax = secondsMax;
    this.plan = plan;
    this.progress = progress;
  }

  /**
   * Returns when all rows are acknowledged.
   *
   * @return the sum of their amounts
   * @throws CommandFailure when a row was not applied, or the time was over
   */
  public long write(RowWriter writer, long rows) throws Exception {
    LongAdder applied = new LongAdder();
    long amounts;
    Progress.Watch watch = progress.watch("written", rows, applied::sum);
    try (watch) {
      amounts =
          inParallel(
              rows,
              row -> writer.add(row, (sequence, isApplied) -> applied.add(isApplied ? 1 : 0)));
      writer.flush();
    }
    if (applied.sum() != rows) {
      throw CommandFailure.failed(applied.sum() + " of " + rows + " rows were applied");
    }
    return amounts;
  }

  /** Makes the rows and throws them away: the share of a writer's cost that is ours. */
  public long generate(long rows) throws Exception {
    return inParallel(rows, row -> {});
  }

  private interface RowSink {
    void add(SourceRow row);
  }

  private long inParallel(long rows, RowSink sink) throws Exception {
    List<Callable<Long>> parts = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long from = rows * i / threads;
      long to = rows * (i + 1) / threads;
      parts.add(() -> part(from, to, sink));
    }
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "writer");
              thread.setDaemon(true);
              return thread;
            });
    try {
      long amounts = 0;
      for (Future<Long> part : executor.invokeAll(parts, secondsMax, TimeUnit.SECONDS)) {
        amounts += part.get();
      }
      return amounts;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception failure) {
        throw failure;
      }
      throw e;
    } catch (CancellationException e) {
      throw CommandFailure.failed(rows + " rows were not written within " + secondsMax + " s");
    } finally {
      executor.shutdownNow();
    }
  }

  private long part(long from, long to, RowSink sink) {
    RowSource source = new RowSource(from, plan);
    long amounts = 0;
    for (long i = from; i < to; i++) {
      SourceRow row = source.next();
      amounts += row.amount();
      sink.add(row);
    }
    return amounts;
  }
}
