package io.tunnel.it.process;

import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
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
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that writes changes of a {@link TestTable} until it was told to stop or has added its
 * number of rows, and notes what it was told of each. Says how many have an outcome.
 *
 * <p>Arguments: endpoint, table, partitions, file, and those of {@link WriterSetup}.
 */
public final class WriterMain {

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
    WriterSetup setup = WriterSetup.parse(List.of(args).subList(4, args.length));
    ClientConfig client =
        ClientConfig.of(args[0])
            .withRetryDeadline(Duration.ofSeconds(50))
            .withWriteRetryDeadline(Duration.ofSeconds(50))
            .withRequestDeadline(setup.requestDeadline());
    try (Writer notes = Files.newBufferedWriter(Path.of(args[3]), StandardCharsets.UTF_8)) {
      WriterMain writer = new WriterMain(notes);
      Thread listener = new Thread(writer::listen, "listener");
      listener.setDaemon(true);
      listener.start();
      writer.write(client, table, setup);
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

  private void write(ClientConfig client, TestTable table, WriterSetup setup) {
    SplittableRandom random = new SplittableRandom(setup.seed());
    long startedNanos = System.nanoTime();
    try (TableClient tables = TableClient.connect(client);
        TableWriter writer = tables.openWriter(table.name(), CONFIG)) {
      for (long i = 0; i < setup.rowsMax() && !mustStop; i++) {
        pace(startedNanos, i, setup.rowsPerSecond());
        long sequence = i;
        RowChange change = table.change(random, sequence);
        writer.add(change, (row, result) -> note(Written.of(sequence, Mutation.of(row), result)));
      }
    }
  }

  /** Holds the writer back until the row of that number is due. */
  private static void pace(long startedNanos, long row, long rowsPerSecond) {
    if (rowsPerSecond > 0) {
      long dueNanos = startedNanos + row * TimeUnit.SECONDS.toNanos(1) / rowsPerSecond;
      LockSupport.parkNanos(dueNanos - System.nanoTime());
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
