package io.tunnel.server.partition.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.table.BaseRows;
import io.tunnel.server.table.TableSnapshot;
import java.io.Closeable;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The rows of tunnels with base data as they were when each tunnel was created: one snapshot for
 * each shard, in memory, until its partitions are read to their ends or it is too old. Rows that
 * have no snapshot are read as they are now.
 *
 * <p>Its monitor guards which snapshots there are; under it, snapshots are closed, which takes the
 * monitor of their store and no other lock. No row is read under it. Safe for use by any thread.
 */
public final class BaseSnapshots implements TunnelRows, Closeable {

  private final Catalog catalog;
  private final Shards shards;
  private final Executor readers;
  private final Shard.Clock clock;
  private final long ageNanosMax;
  private final Map<String, Map<Shard, Moment>> momentsByTunnel = new HashMap<>();

  /** Reads that the busy readers rejected: at most one for each base channel in use. */
  private final Queue<Read> postponed = new ConcurrentLinkedQueue<>();

  private volatile boolean isClosed;

  /** The rows of a shard's partitions at one moment. */
  private record Moment(
      TableSnapshot rows, long takenMicros, long takenNanos, Set<Integer> unfinished) {}

  /** Rows of the tables in {@code catalog}, read on {@code readers}. */
  public BaseSnapshots(
      Catalog catalog, Shards shards, Executor readers, Shard.Clock clock, long snapshotMsMax) {
    this.catalog = catalog;
    this.shards = shards;
    this.readers = readers;
    this.clock = clock;
    this.ageNanosMax = TimeUnit.MILLISECONDS.toNanos(snapshotMsMax);
  }

  /**
   * Keeps the rows of {@code partitions} as they are when everything that their shards were given
   * before is committed and folded.
   *
   * @param partitions at least one
   */
  @Override
  public void begin(String tunnelId, Collection<Integer> partitions, Taken whenTaken) {
    Map<Shard, Set<Integer>> byShard = new HashMap<>();
    for (int partition : partitions) {
      byShard.computeIfAbsent(shards.of(partition), shard -> new HashSet<>()).add(partition);
    }
    if (byShard.isEmpty()) {
      throw new IllegalArgumentException("no partitions whose rows could be kept");
    }
    Map<Shard, Moment> moments = new HashMap<>();
    synchronized (this) {
      if (momentsByTunnel.putIfAbsent(tunnelId, moments) != null) {
        throw new IllegalStateException("the rows of tunnel " + tunnelId + " are kept already");
      }
    }
    Taking taking = new Taking(tunnelId, moments, byShard.size(), whenTaken);
    byShard.forEach((shard, ids) -> shard.execute(ids, () -> taking.take(shard, ids)));
  }

  /** One {@link #begin} under way. Its monitor guards its fields and is held for no call. */
  private final class Taking {
    private final String tunnelId;
    private final Map<Shard, Moment> moments;
    private final Taken whenTaken;
    private final Map<Integer, Long> committed = new HashMap<>();
    private Optional<RefusedException> failure = Optional.empty();
    private int shardsLeft;

    Taking(String tunnelId, Map<Shard, Moment> moments, int shards, Taken whenTaken) {
      this.tunnelId = tunnelId;
      this.moments = moments;
      this.shardsLeft = shards;
      this.whenTaken = whenTaken;
    }

    /** On the shard's thread: what is committed is folded, and nothing comes between. */
    void take(Shard shard, Set<Integer> partitions) {
      Map<Integer, Long> positions = new HashMap<>();
      Optional<RefusedException> reason = Optional.empty();
      try {
        shard.requireWhole();
        partitions.forEach(id -> positions.put(id, shard.log().committed(id)));
        long takenMicros = clock.epochMicros();
        long takenNanos = clock.nanos();
        // Taken last: a failure between snapshot() and keep() would leak the snapshot.
        TableSnapshot rows = shard.table().snapshot();
        keep(tunnelId, moments, shard, new Moment(rows, takenMicros, takenNanos, partitions));
      } catch (RefusedException e) {
        reason = Optional.of(e);
      } catch (RuntimeException e) {
        reason =
            Optional.of(
                new RefusedException(
                    ErrorCode.INTERNAL, "the rows cannot be kept: " + e.getMessage()));
      } catch (VirtualMachineError e) {
        // Without a reason the creation of the tunnel would wait forever.
        reason =
            Optional.of(new RefusedException(ErrorCode.INTERNAL, "the rows cannot be kept: " + e));
      }
      if (isLast(positions, reason)) {
        tell();
      }
    }

    private synchronized boolean isLast(
        Map<Integer, Long> positions, Optional<RefusedException> reason) {
      committed.putAll(positions);
      failure = failure.or(() -> reason);
      shardsLeft--;
      return shardsLeft == 0;
    }

    private void tell() {
      if (failure.isPresent()) {
        forget(tunnelId);
        whenTaken.failed(failure.get());
      } else {
        whenTaken.taken(Map.copyOf(committed));
      }
    }
  }

  /** Keeps it unless the tunnel was forgotten meanwhile. */
  private synchronized void keep(
      String tunnelId, Map<Shard, Moment> moments, Shard shard, Moment moment) {
    if (momentsByTunnel.get(tunnelId) == moments) {
      moments.put(shard, moment);
    } else {
      moment.rows().close();
    }
  }

  /** Gives up all rows that are kept for a tunnel; idempotent. */
  @Override
  public synchronized void forget(String tunnelId) {
    Map<Shard, Moment> moments = momentsByTunnel.remove(tunnelId);
    if (moments != null) {
      moments.values().forEach(moment -> moment.rows().close());
    }
  }

  /**
   * The base channel of a partition is finished; a shard's snapshot is given up with the last of
   * its partitions. Idempotent.
   */
  @Override
  public synchronized void forget(String tunnelId, int partition) {
    Map<Shard, Moment> moments = momentsByTunnel.getOrDefault(tunnelId, Map.of());
    Shard shard = shards.of(partition);
    Moment moment = moments.get(shard);
    if (moment != null) {
      moment.unfinished().remove(partition);
      if (moment.unfinished().isEmpty()) {
        moments.remove(shard);
        moment.rows().close();
      }
    }
  }

  private synchronized Optional<Moment> moment(String tunnelId, Shard shard) {
    return Optional.ofNullable(momentsByTunnel.getOrDefault(tunnelId, Map.of()).get(shard));
  }

  /** Gives up what is too old, and takes up reads that were postponed; a few times a second. */
  public void tick() {
    giveUpOld(clock.nanos());
    for (int left = postponed.size(); left > 0; left--) {
      Read read = postponed.poll();
      if (read != null) {
        submit(read);
      }
    }
  }

  private synchronized void giveUpOld(long nowNanos) {
    for (Map<Shard, Moment> moments : momentsByTunnel.values()) {
      for (Iterator<Moment> each = moments.values().iterator(); each.hasNext(); ) {
        Moment moment = each.next();
        if (nowNanos - moment.takenNanos() >= ageNanosMax) {
          each.remove();
          moment.rows().close();
        }
      }
    }
  }

  @Override
  public void read(
      String tunnelId,
      int partition,
      Bytes after,
      long firstPosition,
      int bytesMax,
      BaseRows.Sink sink) {
    submit(new Read(tunnelId, partition, after, firstPosition, bytesMax, sink));
  }

  private void submit(Read read) {
    try {
      readers.execute(() -> run(read));
    } catch (RejectedExecutionException e) {
      postponed.add(read);
    }
    if (isClosed) {
      refusePostponed();
    }
  }

  private void refusePostponed() {
    for (Read read = postponed.poll(); read != null; read = postponed.poll()) {
      read.sink().failed(new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping"));
    }
  }

  private record Read(
      String tunnelId,
      int partition,
      Bytes after,
      long firstPosition,
      int bytesMax,
      BaseRows.Sink sink) {}

  private void run(Read read) {
    Found found;
    try {
      found = find(read);
    } catch (RuntimeException e) {
      read.sink().failed(e);
      return;
    } catch (VirtualMachineError e) {
      // Without this call the channel would wait for the answer forever.
      read.sink().failed(new RefusedException(ErrorCode.INTERNAL, "the rows cannot be read: " + e));
      return;
    }
    found.page().tell(found.scan(), read.partition(), found.takenMicros(), read.sink());
  }

  private record Found(BasePage page, long takenMicros, TableSnapshot.Scan scan) {}

  private Found find(Read read) {
    Shard shard = shards.of(read.partition());
    List<PrimaryKeySchema> schema = catalog.tableOfPartition(read.partition()).meta().primaryKey();
    Optional<Found> kept =
        moment(read.tunnelId(), shard)
            .map(moment -> scan(read, schema, moment.rows(), moment.takenMicros()))
            .filter(found -> found.scan() != TableSnapshot.Scan.CLOSED);
    return kept.orElseGet(() -> findNow(read, schema, shard));
  }

  private Found findNow(Read read, List<PrimaryKeySchema> schema, Shard shard) {
    try (TableSnapshot now = shard.table().snapshot()) {
      // Rows of a table that was dropped are no end of the channel.
      var unused = catalog.tableOfPartition(read.partition());
      Found found = scan(read, schema, now, clock.epochMicros());
      if (found.scan() == TableSnapshot.Scan.CLOSED) {
        throw new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
      }
      return found;
    }
  }

  private static Found scan(
      Read read, List<PrimaryKeySchema> schema, TableSnapshot rows, long takenMicros) {
    BasePage page = new BasePage(schema, read.firstPosition(), read.bytesMax());
    return new Found(page, takenMicros, rows.scanBehind(read.partition(), read.after(), page::add));
  }

  /** Gives all snapshots up, and refuses reads that wait. Comes before the shards' own close. */
  @Override
  public void close() {
    isClosed = true;
    refusePostponed();
    synchronized (this) {
      Set.copyOf(momentsByTunnel.keySet()).forEach(this::forget);
    }
  }
}
