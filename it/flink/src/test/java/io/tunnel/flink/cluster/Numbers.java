package io.tunnel.flink.cluster;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/**
 * A table of numbers in groups whose rows a thread writes again and again, and the table of their
 * sums that a {@link SumJob} keeps. It writes as long as the sums are not too far behind.
 */
final class Numbers implements AutoCloseable {

  static final String NUMBERS = "numbers";
  static final String SUMS = "sums";

  private static final int PARTITIONS = 6;
  private static final long IDS_OF_PARTITION = 100;
  private static final long GROUPS = 17;
  private static final int BATCH_ROWS = 50;
  private static final long AHEAD_MAX = 2_000;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final LocalServer tables;
  private final SplittableRandom random = new SplittableRandom(17);
  private final Map<Long, Sum> written = new TreeMap<>();
  private final Thread thread = new Thread(this::write, "numbers");
  private volatile boolean isEnding;
  private volatile long count;
  private volatile Throwable failure;

  /** How often, and how much. */
  record Sum(long count, long sum) {

    Sum plus(long amount) {
      return new Sum(count + 1, sum + amount);
    }
  }

  Numbers(LocalServer tables) {
    this.tables = tables;
    tables.create(
        NUMBERS,
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        LongStream.range(1, PARTITIONS)
            .mapToObj(i -> PrimaryKeyValue.fromLong(i * IDS_OF_PARTITION))
            .toArray(PrimaryKeyValue[]::new));
    tables.create(
        SUMS,
        List.of(new PrimaryKeySchema("group", PrimaryKeyType.INTEGER)),
        PrimaryKeyValue.fromLong(GROUPS / 2));
    thread.start();
  }

  private void write() {
    try {
      for (long done = 0; !isEnding; count = done) {
        if (done - summed() > AHEAD_MAX) {
          LockSupport.parkNanos(LOOK_NANOS);
        } else {
          List<RowChange> rows = new ArrayList<>();
          for (int i = 0; i < BATCH_ROWS; i++) {
            rows.add(next());
          }
          tables.write(NUMBERS, rows);
          done += BATCH_ROWS;
        }
      }
    } catch (RuntimeException | AssertionError e) {
      failure = e;
    }
  }

  private RowChange next() {
    long group = random.nextLong(GROUPS);
    long amount = random.nextLong(-1_000, 1_000);
    written.merge(group, new Sum(1, amount), (before, one) -> before.plus(amount));
    return new RowPutChange(
        PrimaryKey.builder().add("id", random.nextLong(PARTITIONS * IDS_OF_PARTITION)).build(),
        List.of(
            new Column("group", ColumnValue.fromLong(group)),
            new Column("amount", ColumnValue.fromLong(amount))),
        RowExistenceExpectation.IGNORE);
  }

  /** How many changes were written. */
  long count() {
    return count;
  }

  /** How many changes the sums are of. */
  long summed() {
    return sums().values().stream().mapToLong(Sum::count).sum();
  }

  /** The sums as the job has written them. */
  Map<Long, Sum> sums() {
    Map<Long, Sum> sums = new TreeMap<>();
    for (Row row : tables.rows(SUMS)) {
      sums.put(
          row.primaryKey().getPrimaryKeyColumns().get(0).getValue().asLong(),
          new Sum(
              row.value("count").orElseThrow().asLong(), row.value("sum").orElseThrow().asLong()));
    }
    return sums;
  }

  /** Waits until so many changes more are in the sums. */
  void awaitFlow(long changes) {
    long goal = summed() + changes;
    awaitSummed(goal);
  }

  /** Waits until the sums are of so many changes at least. */
  void awaitSummed(long goal) {
    StandaloneFlink.until(
        () -> summed() + " changes summed of " + count + ", wanted " + goal,
        () -> {
          if (failure != null) {
            throw new AssertionError("the writer failed", failure);
          }
          return summed() >= goal;
        });
  }

  /** Writes no more; what was written, by group. */
  Map<Long, Sum> end() {
    close();
    if (failure != null) {
      throw new AssertionError("the writer failed", failure);
    }
    return written;
  }

  @Override
  public void close() {
    isEnding = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the writer ends", e);
    }
  }
}
