package io.tunnel.cli.export;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableWriter;
import io.tunnel.stress.file.InDoubtFile;
import io.tunnel.stress.file.TypedRows;
import io.tunnel.stress.rows.BadLineException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.StopSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes the rows of the parts through one writer. A thread waits for the outcomes of all its rows
 * after every {@value #LINES_PER_FLUSH} lines, and after a second; lines before that are done and
 * not written again by an import that continues.
 *
 * <p>Memory: each thread has one line and its row, the writer has its buffer, and rejected rows are
 * stored before a thread adds its next row.
 */
final class ImportRun {

  private static final int LINES_PER_FLUSH = 20_000;
  private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long after a signal the rows that were read are still sent. */
  private static final long SENDS_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final int EXAMPLES_MAX = 10;

  private final TableWriter writer;
  private final Source source;
  private final Rejects rejects;
  private final ProgressBar bar;
  private final LongSupplier nanoClock;
  private final PartThreads threads = new PartThreads();

  /** Lines that are done, by part. Guarded by this. */
  private final List<Long> done;

  /** Rows by outcome. Guarded by this. */
  private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);

  /** The first rows that were not applied, with the reason. Guarded by this. */
  private final List<String> examples = new ArrayList<>();

  /** Rejected rows that are not in the file yet; at most what the writer has in flight. */
  private final Queue<RowPutChange> rejectedRows = new ConcurrentLinkedQueue<>();

  /** Of the thread that runs. */
  private long savedNanos;

  /** When the run was seen to be asked to stop. Of the thread that runs. */
  private OptionalLong stoppedNanos = OptionalLong.empty();

  /**
   * What is read.
   *
   * @param key the key of the table that is written
   * @param done lines of each part that are skipped
   */
  record Source(
      Path directory, ExportFile export, List<PrimaryKeySchema> key, ImportProgress done) {}

  /**
   * What happens to rejected rows.
   *
   * @param file takes them; null for none
   * @param max the most; more end the run
   */
  record Rejects(InDoubtFile file, long max) {}

  /** Stores how far the import is. */
  @FunctionalInterface
  interface Saved {
    void save(ImportProgress progress) throws IOException;
  }

  ImportRun(
      TableWriter writer, Source source, Rejects rejects, ProgressBar bar, LongSupplier nanoClock) {
    this.writer = writer;
    this.source = source;
    this.rejects = rejects;
    this.bar = bar;
    this.nanoClock = nanoClock;
    this.done = new ArrayList<>(source.done().done());
  }

  /** Writes the rows that are left; ends early when {@code signal} is asked, or rows fail. */
  void run(int threadCount, StopSignal signal, Saved saved) throws Exception {
    savedNanos = nanoClock.getAsLong();
    try {
      threads.run(
          source.export().parts().size(),
          threadCount,
          signal,
          this::write,
          () -> look(signal, saved));
    } finally {
      save(saved);
    }
  }

  private void look(StopSignal signal, Saved saved) throws IOException {
    bar.add(0); // Draws also while no row has an outcome.
    long nowNanos = nanoClock.getAsLong();
    if (nowNanos - savedNanos >= SAVE_NANOS) {
      savedNanos = nowNanos;
      save(saved);
    }
    if (signal.isAsked()) {
      stoppedNanos = stoppedNanos.isPresent() ? stoppedNanos : OptionalLong.of(nowNanos);
      if (nowNanos - stoppedNanos.getAsLong() > SENDS_NANOS_MAX) {
        writer.giveUp();
      }
    }
  }

  /** Rejected rows of lines that are done are in their file before these lines are. */
  private void save(Saved saved) throws IOException {
    ImportProgress now = progress();
    if (rejects.file() != null) {
      storeRejected();
      synchronized (rejects) {
        rejects.file().flush();
      }
    }
    saved.save(now);
  }

  private void write(int part) throws IOException {
    long line = progress().done().get(part);
    long last = source.export().parts().get(part).rows();
    if (line == last) {
      return;
    }
    Path file = ExportDirectory.part(source.directory(), part);
    try (TypedRows rows = new TypedRows(Files.newInputStream(file), source.key())) {
      rows.skip(line);
      long flushedLine = line;
      long flushedNanos = nanoClock.getAsLong();
      while (line < last && !threads.isStopped()) {
        line++;
        add(file, line, rows.next());
        storeRejected();
        long nowNanos = nanoClock.getAsLong();
        if (line - flushedLine == LINES_PER_FLUSH || nowNanos - flushedNanos >= SAVE_NANOS) {
          flush(part, line);
          flushedLine = line;
          flushedNanos = nowNanos;
        }
      }
      flush(part, line);
    } catch (BadLineException e) {
      throw CommandFailure.failed(file + " " + e.getMessage());
    }
  }

  private void add(Path file, long line, RowPutChange row) {
    if (row == null) {
      throw CommandFailure.failed(file + " has become shorter: it ends before line " + line);
    }
    try {
      writer.add(row, (added, result) -> note(file, line, row, result));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.failed(file + " line " + line + ": " + e.getMessage());
    }
  }

  /** Marks the lines up to {@code line} as done when their rows are applied or rejected. */
  private void flush(int part, long line) throws IOException {
    writer.flush();
    storeRejected();
    synchronized (this) {
      // A row that was not sent may be of these lines: it stops the run, and is read again.
      if (count(Outcome.NOT_SENT) + count(Outcome.IN_DOUBT) == 0) {
        done.set(part, line);
      }
    }
  }

  private synchronized void note(Path file, long line, RowPutChange row, RowResult result) {
    counts.merge(result.outcome(), 1L, Long::sum);
    bar.add(1);
    if (result.isApplied()) {
      return;
    }
    if (examples.size() < EXAMPLES_MAX) {
      examples.add(
          file.getFileName()
              + " line "
              + line
              + ": "
              + result.outcome()
              + " "
              + row.primaryKey()
              + ": "
              + result.message());
    }
    if (result.outcome() == Outcome.REJECTED) {
      if (rejects.file() != null) {
        rejectedRows.add(row);
      }
      if (count(Outcome.REJECTED) > rejects.max()) {
        threads.stop();
      }
    } else {
      threads.stop();
    }
  }

  private void storeRejected() throws IOException {
    if (rejectedRows.isEmpty()) {
      return;
    }
    synchronized (rejects) { // A thread that waits here finds no row left to store.
      for (RowPutChange row = rejectedRows.poll(); row != null; row = rejectedRows.poll()) {
        rejects.file().write(List.of(row));
      }
    }
  }

  /** What is done. */
  synchronized ImportProgress progress() {
    return source.done().with(done, source.done().rejected() + count(Outcome.REJECTED));
  }

  /** Rows with an outcome. */
  synchronized long count(Outcome outcome) {
    return counts.getOrDefault(outcome, 0L);
  }

  /** The first rows that were not applied: file, line and reason. */
  synchronized List<String> examples() {
    return List.copyOf(examples);
  }
}
