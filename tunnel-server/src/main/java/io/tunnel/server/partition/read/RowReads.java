package io.tunnel.server.partition.read;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.RangePage;
import io.tunnel.wire.RangeRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Reading rows. A read passes through the queue of the row's shard, so that it sees every write
 * acknowledged before it, and is then done on a reader's thread, so that it does not hold up
 * writes.
 */
public final class RowReads {

  private static final int PAGE_ROWS_MAX = 5_000;
  private static final int PAGE_BYTES_MAX = 4 * 1024 * 1024;

  private final Catalog catalog;
  private final PartitionHosts hosts;
  private final ReadTurns gets;
  private final ReadTurns scans;

  /** Reads single rows in turns of {@code gets}, so that none waits behind a long scan. */
  public RowReads(Catalog catalog, PartitionHosts hosts, ReadTurns gets, ReadTurns scans) {
    this.catalog = catalog;
    this.hosts = hosts;
    this.gets = gets;
    this.scans = scans;
  }

  /** Reads everything on {@code readers}. */
  public RowReads(Catalog catalog, PartitionHosts hosts, Executor readers) {
    this(
        catalog,
        hosts,
        (asker, read) -> readers.execute(read),
        (asker, read) -> readers.execute(read));
  }

  /** Is given the answer once. */
  public interface Answer {
    /** Whose turn it has to be. */
    default ReadTurns.Asker asker() {
      return ReadTurns.ANYBODY;
    }

    /** The payload. */
    void read(byte[] payload);

    /** The read was refused, or failed. */
    void failed(RuntimeException reason);
  }

  /** Reads a row; the payload is a batch of no or one row. */
  public void get(GetRowRequest request, Answer answer) {
    TableRecord table = catalog.table(request.tableId());
    byte[] key = request.key().toByteArray();
    try {
      KeyCodec.require(key, 0, key.length, table.meta().primaryKey());
    } catch (MalformedException e) {
      throw new RefusedException(ErrorCode.KEY_MISMATCH, e.getMessage());
    }
    PartitionRecord partition = table.partitionOf(request.key());
    PartitionHost host = hosts.of(partition.id());
    answer(
        gets,
        new Asked(host, partition.id(), request.isStrict()),
        answer,
        () -> {
          BatchBuilder row = new BatchBuilder(table.meta().primaryKey(), 256);
          host.table()
              .get(partition.id(), request.key())
              .ifPresent(columns -> add(row, request.key(), columns, table.meta().primaryKey()));
          requireExists(table);
          return row.build(partition.id());
        });
  }

  /** Reads a page of one partition; the payload is a {@link RangePage}. */
  public void range(RangeRequest request, Answer answer) {
    TableRecord table = catalog.table(request.tableId());
    boolean isForward = request.direction() == Direction.FORWARD;
    int index = isForward ? table.indexOf(request.from()) : lastIndex(table, request.to());
    int partition = table.partitions().get(index).id();
    PartitionHost host = hosts.of(partition);
    answer(
        scans,
        new Asked(host, partition, request.isStrict()),
        answer,
        () -> {
          byte[] page = page(host, table, index, request);
          requireExists(table);
          return page;
        });
  }

  /** Rows of a table that was dropped go while they are read; the table has gone before. */
  private void requireExists(TableRecord table) {
    var unused = catalog.table(table.tableId());
  }

  /** Index of the partition with the highest keys under {@code to}. */
  private static int lastIndex(TableRecord table, Bytes to) {
    if (to.length() == 0) {
      return table.partitions().size() - 1;
    }
    int index = table.indexOf(to);
    return index > 0 && table.partitions().get(index).from().equals(to) ? index - 1 : index;
  }

  /** An asker takes answers again. */
  public void wake(ReadTurns.Asker asker) {
    gets.wake(asker);
    scans.wake(asker);
  }

  /** An asker is gone, and what it asked for is not read any more. */
  public void forget(ReadTurns.Asker asker) {
    gets.forget(asker);
    scans.forget(asker);
  }

  /**
   * Where is read, and whether the log is asked first. What is not asked for strictly is read from
   * what the host has, unless that is too old.
   */
  private record Asked(PartitionHost host, int partition, boolean isStrict) {

    void execute(Runnable action, Answer answer) {
      if (isStrict) {
        host.executeStrictly(partition, action, answer::failed);
      } else {
        host.execute(partition, action);
      }
    }

    byte[] read(Supplier<byte[]> rows) {
      host.requireWhole();
      if (!isStrict) {
        host.requireFresh();
      }
      byte[] payload = rows.get();
      host.requireWhole();
      return payload;
    }
  }

  private static void answer(ReadTurns turns, Asked asked, Answer answer, Supplier<byte[]> rows) {
    asked.execute(
        () -> {
          try {
            turns.execute(answer.asker(), () -> answerNow(asked, answer, rows));
          } catch (RejectedExecutionException e) {
            answer.failed(
                new RefusedException(ErrorCode.BUSY, "too many reads wait; try again later"));
          }
        },
        answer);
  }

  private static void answerNow(Asked asked, Answer answer, Supplier<byte[]> rows) {
    try {
      answer.read(asked.read(rows));
    } catch (RuntimeException e) {
      answer.failed(e);
    }
  }

  private static byte[] page(
      PartitionHost host, TableRecord table, int index, RangeRequest request) {
    PartitionRecord partition = table.partitions().get(index);
    boolean isForward = request.direction() == Direction.FORWARD;
    List<PrimaryKeySchema> schema = table.meta().primaryKey();
    Page page = new Page(request, schema);
    boolean isComplete =
        host.table().scan(partition.id(), request.from(), request.to(), isForward, page::add);
    Optional<Bytes> next =
        isComplete ? nextPartition(table, index, request) : Optional.of(page.next(isForward));
    return RangePage.encode(next, page.rows.build(partition.id()));
  }

  /** The bound from which the partition behind this one is read, if the range reaches into it. */
  private static Optional<Bytes> nextPartition(TableRecord table, int index, RangeRequest request) {
    PartitionRecord partition = table.partitions().get(index);
    if (request.direction() == Direction.FORWARD) {
      boolean isLast =
          index + 1 == table.partitions().size()
              || (request.to().length() > 0 && partition.to().compareTo(request.to()) >= 0);
      return isLast ? Optional.empty() : Optional.of(partition.to());
    }
    boolean isLast = index == 0 || partition.from().compareTo(request.from()) <= 0;
    return isLast ? Optional.empty() : Optional.of(partition.from());
  }

  private static boolean add(
      BatchBuilder rows, Bytes key, List<Column> columns, List<PrimaryKeySchema> schema) {
    byte[] array = key.toByteArray();
    return rows.add(new RowPutChange(KeyCodec.decode(array, 0, array.length, schema), columns));
  }

  /** Collects rows up to the page's limits. */
  private static final class Page {
    private final int rowsMax;
    private final int bytesMax;
    private final List<PrimaryKeySchema> schema;
    private final BatchBuilder rows;
    private Bytes lastTaken = Bytes.EMPTY;

    Page(RangeRequest request, List<PrimaryKeySchema> schema) {
      this.rowsMax = Math.min(request.rowsMax(), PAGE_ROWS_MAX);
      this.bytesMax = Math.min(request.bytesMax(), PAGE_BYTES_MAX);
      this.schema = schema;
      this.rows = new BatchBuilder(schema, 4096);
    }

    boolean add(Bytes key, List<Column> columns) {
      boolean isFull =
          rows.rowCount() > 0 && (rows.rowCount() >= rowsMax || rows.byteCount() >= bytesMax);
      if (isFull || !RowReads.add(rows, key, columns, schema)) {
        return false;
      }
      lastTaken = key;
      return true;
    }

    /**
     * The next {@code from} behind the last row forward, the next {@code to} before it backward.
     */
    Bytes next(boolean isForward) {
      if (!isForward) {
        return lastTaken;
      }
      byte[] behind = new byte[lastTaken.length() + 1];
      lastTaken.copyInto(behind, 0);
      return Bytes.copyOf(behind);
    }
  }
}
