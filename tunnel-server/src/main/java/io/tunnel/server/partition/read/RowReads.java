package io.tunnel.server.partition.read;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.table.FoundRow;
import io.tunnel.server.table.TableRows;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.RowPage;
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

  private final Catalog catalog;
  private final PartitionHosts hosts;
  private final ReadTurns gets;
  private final ReadTurns scans;

  /** Reads single rows in turns of {@code gets}, so that none waits for a long scan. */
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

    /**
     * The payload.
     *
     * @param looked what was looked at, for quotas
     */
    void read(byte[] payload, RowPage.Looked looked);

    /** The read was refused, or failed. */
    void failed(RuntimeException reason);
  }

  /** Reads a row; the payload is a {@link RowPage} of no or one row. */
  public void get(GetRowRequest request, Answer answer) {
    TableRecord table = catalog.table(request.tableId());
    requireKey(request.key(), table);
    PartitionRecord partition = table.partitionOf(request.key());
    look(gets, table, partition, request.terms(), List.of(request.key()), answer);
  }

  /**
   * Reads rows of one partition by their keys; the payload is a {@link RowPage}. Waits among the
   * scans, because its rows may be as many.
   */
  public void getAll(GetRowsRequest request, Answer answer) {
    TableRecord table = catalog.table(request.tableId());
    PartitionRecord partition = null;
    for (Bytes key : request.keys()) {
      requireKey(key, table);
      PartitionRecord own = table.partitionOf(key);
      if (partition != null && own.id() != partition.id()) {
        throw new RefusedException(
            ErrorCode.WRONG_PARTITION,
            "key "
                + key
                + " is of partition "
                + own.id()
                + ", and the keys before it are of partition "
                + partition.id()
                + "; ask for the keys of one partition at a time, by the table's partition map");
      }
      partition = own;
    }
    look(scans, table, partition, request.terms(), request.keys(), answer);
  }

  private static void requireKey(Bytes key, TableRecord table) {
    byte[] array = key.toByteArray();
    try {
      KeyCodec.require(array, 0, array.length, table.meta().primaryKey());
    } catch (MalformedException e) {
      throw new RefusedException(ErrorCode.KEY_MISMATCH, e.getMessage());
    }
  }

  private void look(
      ReadTurns turns,
      TableRecord table,
      PartitionRecord partition,
      ReadTerms terms,
      List<Bytes> keys,
      Answer answer) {
    List<PrimaryKeySchema> schema = table.meta().primaryKey();
    RowsAnswer.require(terms.selection(), schema);
    PartitionHost host = hosts.of(partition.id());
    answer(
        turns,
        new Asked(host, partition.id(), terms.isStrict()),
        answer,
        () -> {
          RowsAnswer rows =
              new RowsAnswer(schema, terms.selection(), keys.size(), Limits.PAGE_BYTES_MAX);
          Optional<Bytes> next = look(host.table(), partition.id(), keys, rows);
          requireExists(table);
          return new Read(rows.encode(partition.id(), next), rows.looked());
        });
  }

  /** Looks keys up until the answer is full; returns the first key that was not looked up. */
  private static Optional<Bytes> look(
      TableRows rows, int partition, List<Bytes> keys, RowsAnswer answer) {
    for (Bytes key : keys) {
      if (answer.isFull()) {
        return Optional.of(key);
      }
      Optional<FoundRow> row = rows.find(partition, key);
      if (row.isEmpty()) {
        answer.addAbsent(key);
      } else if (!answer.add(row.get())) {
        return Optional.of(key);
      }
    }
    return Optional.empty();
  }

  /** Reads a page of one partition; the payload is a {@link RowPage}. */
  public void range(RangeRequest request, Answer answer) {
    TableRecord table = catalog.table(request.tableId());
    RowsAnswer.require(request.terms().selection(), table.meta().primaryKey());
    boolean isForward = request.direction() == Direction.FORWARD;
    int index = isForward ? table.indexOf(request.from()) : lastIndex(table, request.to());
    int partition = table.partitions().get(index).id();
    PartitionHost host = hosts.of(partition);
    answer(
        scans,
        new Asked(host, partition, request.terms().isStrict()),
        answer,
        () -> {
          Read page = page(host, table, index, request);
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

    Read read(Supplier<Read> rows) {
      host.requireWhole();
      if (!isStrict) {
        host.requireFresh();
      }
      Read read = rows.get();
      host.requireWhole();
      return read;
    }
  }

  /** An answer, and what was looked at for it. */
  @SuppressWarnings("ArrayRecordComponent") // Passed on at once, and not copied on the hot path.
  private record Read(byte[] payload, RowPage.Looked looked) {}

  private static void answer(ReadTurns turns, Asked asked, Answer answer, Supplier<Read> rows) {
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

  private static void answerNow(Asked asked, Answer answer, Supplier<Read> rows) {
    try {
      Read read = asked.read(rows);
      answer.read(read.payload(), read.looked());
    } catch (RuntimeException e) {
      answer.failed(e);
    }
  }

  private static Read page(PartitionHost host, TableRecord table, int index, RangeRequest request) {
    PartitionRecord partition = table.partitions().get(index);
    boolean isForward = request.direction() == Direction.FORWARD;
    Page page = new Page(request, table.meta().primaryKey());
    boolean isComplete =
        host.table().look(partition.id(), request.from(), request.to(), isForward, page::add);
    Optional<Bytes> next =
        isComplete ? nextPartition(table, index, request) : Optional.of(page.next(isForward));
    return new Read(page.rows.encode(partition.id(), next), page.rows.looked());
  }

  /** The bound from which the partition after this one is read, if the range reaches into it. */
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

  /** The rows of a page, and where it ends. */
  private static final class Page {
    private final RowsAnswer rows;

    /** The last row that was looked at, whether or not it is answered. */
    private Optional<FoundRow> last = Optional.empty();

    Page(RangeRequest request, List<PrimaryKeySchema> schema) {
      rows =
          new RowsAnswer(
              schema, request.terms().selection(), request.rowsMax(), request.bytesMax());
    }

    boolean add(FoundRow row) {
      if (!rows.add(row)) {
        return false;
      }
      last = Optional.of(row);
      return true;
    }

    /** The next {@code from} after the last row forward, the next {@code to} before it backward. */
    Bytes next(boolean isForward) {
      Bytes key = last.orElseThrow().key();
      if (!isForward) {
        return key;
      }
      byte[] behind = new byte[key.length() + 1];
      key.copyInto(behind, 0);
      return Bytes.copyOf(behind);
    }
  }
}
