package io.tunnel.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Writes rows as fast as a writer takes them, from several threads. */
public final class Load {

  private final int threads;
  private final long secondsMax;

  /** Writes from so many threads, for so long at most. */
  public Load(int threads, long secondsMax) {
    this.threads = threads;
    this.secondsMax = secondsMax;
  }

  /**
   * Returns when all rows are acknowledged.
   *
   * @return the sum of their amounts
   * @throws IllegalStateException when a row was not applied
   */
  public long write(RowWriter writer, long rows) throws Exception {
    LongAdder applied = new LongAdder();
    long amounts =
        inParallel(
            rows, row -> writer.add(row, (sequence, isApplied) -> applied.add(isApplied ? 1 : 0)));
    writer.flush();
    if (applied.sum() != rows) {
      throw new IllegalStateException(applied.sum() + " of " + rows + " rows were applied");
    }
    return amounts;
  }

  /** Makes the rows and throws them away: the share of a writer's cost that is ours. */
  long generate(long rows) throws Exception {
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
    } finally {
      executor.shutdownNow();
    }
  }

  private static long part(long from, long to, RowSink sink) {
    RowSource source = new RowSource(from);
    long amounts = 0;
    for (long i = from; i < to; i++) {
      SourceRow row = source.next();
      amounts += row.amount();
      sink.add(row);
    }
    return amounts;
  }
}
