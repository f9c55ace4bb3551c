package io.tunnel.it;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that writes changes of a {@link TestTable} until it was told to stop or has added its
 * number of rows, and notes what it was told of each. Says how many have an outcome.
 *
 * <p>Arguments: endpoint, table, partitions, seed, rows at most, rows per second at most (0: as fast
 * as they are taken), file.
 */
final class WriterMain {

  private static final int SAY_EVERY = 500;

  /** Small, so that many batches and few rows are under way: the disk sets the pace. */
  private static final TableWriterConfig CONFIG =
      TableWriterConfig.DEFAULTS
          .withBatchBytesMax(8 * 1024)
          .withBufferBytesMax(128 * 1024)
          .withLinger(Duration.ofMillis(1));

  private final Writer notes;
  private final AtomicLong applied = new AtomicLong();
  private volatile boolean mustStop;

  private WriterMain(Writer notes) {
    this.notes = notes;
  }

  public static void main(String[] args) throws IOException {
    TestTable table = new TestTable(args[1], Integer.parseInt(args[2]));
    ClientConfig client = ClientConfig.of(args[0]).withRetryDeadline(Duration.ofSeconds(50));
    try (Writer notes = Files.newBufferedWriter(Path.of(args[6]), StandardCharsets.UTF_8)) {
      WriterMain writer = new WriterMain(notes);
      Thread listener = new Thread(writer::listen, "listener");
      listener.setDaemon(true);
      listener.start();
      Load load =
          new Load(Long.parseLong(args[3]), Long.parseLong(args[4]), Long.parseLong(args[5]));
      writer.write(client, table, load);
    }
    System.out.println("done");
  }

  private void listen() {
    try {
      // A line, or the end of the process that started this one.
      var unused = System.in.read();
    } catch (IOException e) {
      System.err.println("standard input broke: " + e);
    }
    mustStop = true;
  }

  /** What is written, and how fast. */
  private record Load(long seed, long rowsMax, long rowsPerSecond) {

    /** Holds its caller back until the row of that number is due. */
    void pace(long startedNanos, long row) {
      if (rowsPerSecond > 0) {
        long dueNanos = startedNanos + row * TimeUnit.SECONDS.toNanos(1) / rowsPerSecond;
        LockSupport.parkNanos(dueNanos - System.nanoTime());
      }
    }
  }

  private void write(ClientConfig client, TestTable table, Load load) {
    SplittableRandom random = new SplittableRandom(load.seed());
    long startedNanos = System.nanoTime();
    try (TableClient tables = TableClient.connect(client);
        TableWriter writer = tables.openWriter(table.name(), CONFIG)) {
      for (long i = 0; i < load.rowsMax() && !mustStop; i++) {
        load.pace(startedNanos, i);
        long sequence = i;
        RowChange change = table.change(random, sequence);
        writer.add(change, (row, result) -> note(Written.of(sequence, Mutation.of(row), result)));
      }
    }
  }

  private void note(Written written) {
    try {
      notes.write(written.toLine());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (written.outcome() == Outcome.APPLIED && applied.incrementAndGet() % SAY_EVERY == 0) {
      System.out.println("applied " + applied.get());
    }
  }
}
