package io.tunnel.server.partition.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.table.BaseRows;
import io.tunnel.server.table.TableSnapshot;
import io.tunnel.server.table.TableStore;
import io.tunnel.wire.KeyTerms;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The rows of partitions at positions that readers learn, so that a reader knows of each change
 * whether the rows have it. A moment of a partition is taken on the thread that folds it, where
 * what is folded is known exactly, and serves all who read the partition for {@value #AGE_MS_MAX}
 * ms; who reads for longer sees the rows after its last key as they are later.
 *
 * <p>Its monitor guards which moments there are; under it, snapshots are closed, which takes the
 * monitor of their store and no other lock. No row is read under it. Safe for use by any thread.
 */
public final class RowMoments {

  /** Older moments are dropped, so that what was written over since can be freed. */
  static final long AGE_MS_MAX = 10_000;

  private final Catalog catalog;
  private final PartitionHosts hosts;
  private final ChangeReader changes;
  private final Executor readers;
  private final Shard.Clock clock;
  private final Map<Integer, Moment> moments = new HashMap<>();

  /**
   * The rows of a partition with all changes up to a position.
   *
   * @param rows those of all partitions of its host
   */
  private record Moment(TableSnapshot rows, long position, long takenMicros, long takenNanos) {}

  /**
   * Rows of the partitions that are hosted by {@code hosts}, read on {@code readers}.
   *
   * @param changes says on a host's thread up to where a partition is folded
   */
  public RowMoments(
      Catalog catalog,
      PartitionHosts hosts,
      ChangeReader changes,
      Executor readers,
      Shard.Clock clock) {
    this.catalog = catalog;
    this.hosts = hosts;
    this.changes = changes;
    this.readers = readers;
    this.clock = clock;
  }

  /** Rows that have all changes up to {@code position} at least; the sink receives up to which. */
  public BaseRows since(long position) {
    return since(position, KeyRanges.ALL, false);
  }

  /** As {@link #since(long)}; with terms, those of the rows whose keys match. */
  public BaseRows since(long position, Optional<KeyTerms> terms) {
    return terms
        .map(given -> since(position, KeyRanges.of(given), given.isKeysOnly()))
        .orElseGet(() -> since(position));
  }

  private BaseRows since(long position, KeyRanges keys, boolean isKeysOnly) {
    return (tunnelId, partition, after, firstPosition, bytesMax, sink) ->
        read(
            new Read(
                position,
                keys,
                isKeysOnly,
                partition,
                after,
                new Page(firstPosition, bytesMax, sink)));
  }

  private record Read(
      long since, KeyRanges keys, boolean isKeysOnly, int partition, Bytes after, Page page) {

    BaseRows.Sink sink() {
      return page.sink();
    }
  }

  /** What is asked for: see {@link BaseRows#read}. */
  private record Page(long firstPosition, int bytesMax, BaseRows.Sink sink) {}

  private void read(Read read) {
    Optional<Moment> kept = kept(read);
    if (kept.isPresent()) {
      submit(read, kept.get());
    } else {
      take(read);
    }
  }

  private synchronized Optional<Moment> kept(Read read) {
    return Optional.ofNullable(moments.get(read.partition()))
        .filter(moment -> moment.position() >= read.since() && !isOld(moment));
  }

  private boolean isOld(Moment moment) {
    return clock.nanos() - moment.takenNanos() >= TimeUnit.MILLISECONDS.toNanos(AGE_MS_MAX);
  }

  /** Of a host that gave the partition up, the thread that does so asks before it reads. */
  private void take(Read read) {
    try {
      PartitionHost host = hosts.of(read.partition());
      host.execute(
          read.partition(),
          () -> {
            Moment moment;
            try {
              moment = takeNow(read.partition());
            } catch (RuntimeException e) {
              read.sink().failed(e);
              return;
            }
            submit(read, moment);
          });
    } catch (RuntimeException e) {
      read.sink().failed(e);
    }
  }

  /** Takes a snapshot on the host's thread: all settled changes are folded, and none arrive. */
  private Moment takeNow(int partition) {
    PartitionHost host = hosts.of(partition);
    TableSnapshot rows = host.table().snapshot();
    try {
      host.requireWhole();
    } catch (RefusedException e) {
      rows.close();
      throw e;
    }
    Moment moment =
        new Moment(rows, changes.committed(partition), clock.epochMicros(), clock.nanos());
    keep(partition, moment);
    return moment;
  }

  private synchronized void keep(int partition, Moment moment) {
    Moment former = moments.put(partition, moment);
    if (former != null) {
      former.rows().close();
    }
  }

  private void submit(Read read, Moment moment) {
    try {
      readers.execute(() -> run(read, moment));
    } catch (RejectedExecutionException e) {
      read.sink()
          .failed(new RefusedException(ErrorCode.BUSY, "too many reads wait; try again later"));
    }
  }

  private void run(Read read, Moment moment) {
    BasePage page;
    TableSnapshot.Scan scan;
    try {
      List<PrimaryKeySchema> schema =
          catalog.tableOfPartition(read.partition()).meta().primaryKey();
      page = new BasePage(schema, read.page().firstPosition(), read.page().bytesMax());
      scan = scan(read, moment.rows(), page);
    } catch (RuntimeException e) {
      read.sink().failed(e);
      return;
    } catch (VirtualMachineError e) {
      // Without this call the channel would wait for the answer forever.
      read.sink().failed(new RefusedException(ErrorCode.INTERNAL, "the rows cannot be read: " + e));
      return;
    }
    if (scan == TableSnapshot.Scan.CLOSED) {
      // It was dropped before it was read; of a store that is closed, no other can be taken.
      take(read);
      return;
    }
    read.sink().at(moment.position());
    page.tell(scan, read.partition(), moment.takenMicros(), read.sink());
  }

  private static TableSnapshot.Scan scan(Read read, TableSnapshot rows, BasePage page) {
    Bytes next = read.after().length() == 0 ? Bytes.EMPTY : KeyRanges.behind(read.after());
    for (KeyRanges.Range range : read.keys().ranges()) {
      if (range.has(next)) {
        Ranged visitor = new Ranged(range, page, read.isKeysOnly());
        Bytes from = next.compareTo(range.from()) > 0 ? next : range.from();
        TableSnapshot.Scan scan = rows.scanFrom(read.partition(), from, visitor);
        if (scan == TableSnapshot.Scan.CLOSED || visitor.isFull) {
          return scan;
        }
      }
    }
    return TableSnapshot.Scan.WHOLE;
  }

  /** Fills a page with the rows of one range. */
  private static final class Ranged implements TableStore.RowVisitor {
    private final KeyRanges.Range range;
    private final BasePage page;
    private final boolean isKeysOnly;
    private boolean isFull;

    Ranged(KeyRanges.Range range, BasePage page, boolean isKeysOnly) {
      this.range = range;
      this.page = page;
      this.isKeysOnly = isKeysOnly;
    }

    @Override
    public boolean row(Bytes key, List<Column> columns) {
      if (!range.has(key)) {
        return false;
      }
      isFull = !page.add(key, isKeysOnly ? List.of() : columns);
      return !isFull;
    }
  }

  /** Drops what is too old; a few times a second. */
  public synchronized void tick() {
    moments
        .values()
        .removeIf(
            moment -> {
              boolean isOld = isOld(moment);
              if (isOld) {
                moment.rows().close();
              }
              return isOld;
            });
  }

  /** How many there are. */
  synchronized int count() {
    return moments.size();
  }
}
