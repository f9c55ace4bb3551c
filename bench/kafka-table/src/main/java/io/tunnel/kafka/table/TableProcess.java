package io.tunnel.kafka.table;

import io.tunnel.kafka.broker.ChildJvm;
import io.tunnel.kafka.broker.TopicTable;
import io.tunnel.kafka.table.TableLine.Word;
import io.tunnel.kafka.table.TableRequest.Verb;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The parent's side: sends requests to the child, and keeps its answers. */
final class TableProcess implements TopicTable {

  /** Enough to read every row of a large table. */
  private static final long ANSWER_SECONDS_MAX = 600;

  private static final int LOG_LINES_SHOWN_MAX = 15;

  private final Process process;
  private final Path log;
  private final BufferedWriter questions;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** The answer to the last request; empty until it comes. */
  private Optional<TableLine> answer = Optional.empty();

  /** Why the child answers no more. */
  private Optional<String> trouble = Optional.empty();

  private long records;

  private TableProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.questions = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts the child; the first request waits until the child is ready. */
  static TableProcess start(List<String> command, Path log) throws IOException {
    TableProcess table =
        new TableProcess(new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    Thread reader = new Thread(table::read, "table-output");
    reader.setDaemon(true);
    reader.start();
    return table;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        TableLine.parse(line).ifPresent(this::hear);
      }
    } catch (IOException broken) {
      // A broken pipe counts as the end of the child.
    }
    hear(new TableLine(Word.FAILED, "it has ended"));
  }

  private void hear(TableLine line) {
    lock.lock();
    try {
      switch (line.word()) {
        case RECORDS -> records = line.number();
        case FOLLOWING, COUNTED, FORGOTTEN -> answer = Optional.of(line);
        case FAILED -> trouble = trouble.or(() -> Optional.of(line.rest()));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void follow(String application, String topic, int partitions) throws IOException {
    ask(TableRequest.of(Verb.FOLLOW, application, topic, "" + partitions));
  }

  @Override
  public long countRows() throws IOException {
    return ask(TableRequest.of(Verb.COUNT)).number();
  }

  @Override
  public void forget() throws IOException {
    ask(TableRequest.of(Verb.FORGET));
  }

  private TableLine ask(TableRequest request) throws IOException {
    lock.lock();
    try {
      if (request.verb() == Verb.FOLLOW) {
        records = 0;
      }
      answer = Optional.empty();
      questions.write(request.text());
      questions.newLine();
      questions.flush();
      await(() -> answer.isPresent(), ANSWER_SECONDS_MAX, request.text());
      return answer.orElseThrow();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long records() {
    lock.lock();
    try {
      return records;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void awaitRecords(long count, long secondsMax) throws IOException {
    lock.lock();
    try {
      await(() -> records >= count, secondsMax, count + " records");
    } finally {
      lock.unlock();
    }
  }

  /** Holds the lock, except while waiting. */
  private void await(BooleanSupplier done, long secondsMax, String what) throws IOException {
    try {
      long nanos = TimeUnit.SECONDS.toNanos(secondsMax);
      while (!done.getAsBoolean()) {
        if (trouble.isPresent()) {
          throw new IOException("the program with the table failed: " + trouble.get() + endOfLog());
        }
        if (nanos <= 0) {
          throw new IOException(
              "the program with the table has "
                  + records
                  + " records, and did not do in "
                  + secondsMax
                  + " s: "
                  + what);
        }
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the program with the table was asked: " + what, e);
    }
  }

  private String endOfLog() throws IOException {
    return "; the end of its log:\n" + ChildJvm.endOf(log, LOG_LINES_SHOWN_MAX);
  }

  @Override
  public long cpuNanos() {
    return ChildJvm.cpuNanos(process);
  }

  @Override
  public void close() {
    try {
      questions.close();
    } catch (IOException ended) {
      // The child has ended already.
    }
    ChildJvm.awaitEnd(process);
  }
}
