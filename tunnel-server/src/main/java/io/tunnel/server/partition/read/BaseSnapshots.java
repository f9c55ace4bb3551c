package io.tunnel.server.partition.read;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.table.BaseRows;
import io.tunnel.server.table.TableSnapshot;
import java.io.Closeable;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of tunnels with base data as they were when each tunnel was created: one snapshot for
 * each partition, in memory, until the partition is read to its end, the snapshot is too old, or
 * the partition is led elsewhere. Rows that have no snapshot are read as they are now.
 *
 * <p>A snapshot belongs to the host that served the partition when the snapshot was taken, so to
 * one epoch of a leader. A host of a later epoch reads the rows as they are now: those have every
 * change that a leader of an earlier epoch was asked for.
 *
 * <p>The monitor guards which snapshots there are. Under the monitor, snapshots are closed, which
 * takes the monitor of their store, and hosts are asked whether they serve, which takes no lock. No
 * row is read under the monitor. Safe for use by any thread.
 */
public final class BaseSnapshots implements TunnelRows, Closeable {

  /** Snapshots of a node. The age bounds the rows that RocksDB must keep for a snapshot. */
  public static final int COUNT_MAX = 10_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(BaseSnapshots.class);

  private final Catalog catalog;
  private final PartitionHosts hosts;
  private final ChangeReader changes;
  private final Executor readers;
  private final Shard.Clock clock;
  private final Limits limits;

  /** By tunnel and partition; no tunnel is without a partition. */
  private final Map<String, Map<Integer, KeptRows>> keptByTunnel = new HashMap<>();

  /** Snapshots that are kept; at most the limit. */
  private int count;

  /** Whether the log has the news that no further snapshot fits. */
  private boolean isFull;

  /** Snapshots that did not fit since the start. */
  private long refused;

  /** Reads that the busy readers rejected: at most one for each base channel in use. */
  private final Queue<Read> postponed = new ConcurrentLinkedQueue<>();

  private volatile boolean isClosed;

  /**
   * How long and how many snapshots are kept.
   *
   * @param msMax age in milliseconds at which a snapshot is dropped
   * @param countMax snapshots of all tunnels; one more is not kept
   */
  public record Limits(long msMax, int countMax) {

    /** With the usual number of snapshots. */
    public static Limits ofAge(long msMax) {
      return new Limits(msMax, COUNT_MAX);
    }
  }

  /** The rows of a partition for one tunnel. */
  private static final class KeptRows {
    private final PartitionHost host;

    /** Done when the snapshot was taken. */
    private final CompletableFuture<Long> position = new CompletableFuture<>();

    /** Absent until the snapshot is taken; guarded by the monitor. */
    private Optional<Moment> moment = Optional.empty();

    KeptRows(PartitionHost host) {
      this.host = host;
    }
  }

  /** The store of a host at one time. */
  private record Moment(TableSnapshot rows, long takenMicros, long takenNanos) {}

  /**
   * Rows of the tables in {@code catalog}, read on {@code readers}.
   *
   * @param changes says on a host's thread up to where a partition is folded
   */
  public BaseSnapshots(
      Catalog catalog,
      PartitionHosts hosts,
      ChangeReader changes,
      Executor readers,
      Shard.Clock clock,
      Limits limits) {
    this.catalog = catalog;
    this.hosts = hosts;
    this.changes = changes;
    this.readers = readers;
    this.clock = clock;
    this.limits = limits;
  }

  @Override
  public CompletableFuture<Long> keep(String tunnelId, int partition) {
    try {
      PartitionHost host = hosts.of(partition);
      KeptRows kept = new KeptRows(host);
      KeptRows there = begin(tunnelId, partition, kept);
      if (there == kept) {
        host.executeStrictly(
            partition,
            () -> take(tunnelId, partition, kept),
            refused -> fail(tunnelId, partition, kept, refused));
      }
      return there.position;
    } catch (RefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The former entry of the tunnel and the partition while it holds; else {@code kept}, added. */
  private synchronized KeptRows begin(String tunnelId, int partition, KeptRows kept) {
    if (isClosed) {
      throw stopping();
    }
    KeptRows former = ofTunnel(tunnelId).get(partition);
    if (former != null && !isMoved(former)) {
      return former;
    }
    remove(tunnelId, partition);
    keptByTunnel.computeIfAbsent(tunnelId, id -> new HashMap<>()).put(partition, kept);
    return kept;
  }

  private Map<Integer, KeptRows> ofTunnel(String tunnelId) {
    return keptByTunnel.getOrDefault(tunnelId, Map.of());
  }

  private static RefusedException stopping() {
    return new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
  }

  /** Whether the host has lost the partition since. A full disk, say, is no reason. */
  private static boolean isMoved(KeptRows kept) {
    try {
      kept.host.requireWhole();
      return false;
    } catch (RefusedException e) {
      return e.code() == ErrorCode.NOT_LEADER;
    }
  }

  /** On the host's thread, when the table has all committed changes. */
  private void take(String tunnelId, int partition, KeptRows kept) {
    try {
      kept.host.requireWhole();
      long position = changes.committed(partition);
      long takenMicros = clock.epochMicros();
      long takenNanos = clock.nanos();
      // Taken last: a failure between snapshot() and took() would leak the snapshot.
      TableSnapshot rows = kept.host.table().snapshot();
      took(tunnelId, partition, kept, new Moment(rows, takenMicros, takenNanos));
      boolean unused = kept.position.complete(position);
    } catch (RefusedException e) {
      fail(tunnelId, partition, kept, e);
    } catch (RuntimeException e) {
      fail(
          tunnelId,
          partition,
          kept,
          new RefusedException(
              ErrorCode.INTERNAL, "the rows cannot be kept: " + e.getMessage(), e));
    } catch (VirtualMachineError e) {
      // Without a reason the creation of the tunnel would wait forever.
      fail(
          tunnelId,
          partition,
          kept,
          new RefusedException(ErrorCode.INTERNAL, "the rows cannot be kept: " + e));
    }
  }

  /** Keeps the snapshot unless the tunnel was forgotten meanwhile, or the limit is reached. */
  private synchronized void took(String tunnelId, int partition, KeptRows kept, Moment moment) {
    if (ofTunnel(tunnelId).get(partition) != kept) {
      moment.rows().close();
    } else if (count < limits.countMax()) {
      kept.moment = Optional.of(moment);
      count++;
    } else {
      moment.rows().close();
      remove(tunnelId, partition);
      refused++;
      if (!isFull) {
        LOGGER.warn(
            "tunnel {} reads the rows of partition {} as they are at each read: rows of {}"
                + " partitions are kept for tunnels already, the most that a node keeps",
            tunnelId,
            partition,
            count);
      }
      isFull = true;
    }
  }

  /** Snapshots that are kept now. */
  public synchronized int count() {
    return count;
  }

  /** Snapshots since the start that were not kept because {@link Limits#countMax} were. */
  public synchronized long refused() {
    return refused;
  }

  private void fail(String tunnelId, int partition, KeptRows kept, RefusedException reason) {
    synchronized (this) {
      if (ofTunnel(tunnelId).get(partition) == kept) {
        remove(tunnelId, partition);
      }
    }
    boolean unused = kept.position.completeExceptionally(reason);
  }

  /** Under the monitor. */
  private void remove(String tunnelId, int partition) {
    Map<Integer, KeptRows> ofTunnel = keptByTunnel.get(tunnelId);
    if (ofTunnel == null) {
      return;
    }
    KeptRows kept = ofTunnel.remove(partition);
    if (kept != null) {
      giveUp(kept);
    }
    if (ofTunnel.isEmpty()) {
      keptByTunnel.remove(tunnelId);
    }
  }

  /** Under the monitor. */
  private void giveUp(KeptRows kept) {
    kept.moment.ifPresent(
        moment -> {
          moment.rows().close();
          count--;
          isFull = false;
        });
    kept.moment = Optional.empty();
  }

  @Override
  public synchronized void forget(String tunnelId) {
    Map<Integer, KeptRows> ofTunnel = keptByTunnel.remove(tunnelId);
    if (ofTunnel != null) {
      ofTunnel.values().forEach(this::giveUp);
    }
  }

  @Override
  public synchronized void forget(String tunnelId, int partition) {
    remove(tunnelId, partition);
  }

  private synchronized Optional<Moment> moment(String tunnelId, int partition) {
    return Optional.ofNullable(ofTunnel(tunnelId).get(partition))
        .filter(kept -> kept.moment.isPresent() && !isMoved(kept))
        .flatMap(kept -> kept.moment);
  }

  /**
   * Drops what is too old or led elsewhere, and takes up reads that were postponed; a few times a
   * second.
   */
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
    long ageNanosMax = TimeUnit.MILLISECONDS.toNanos(limits.msMax());
    for (Iterator<Map<Integer, KeptRows>> each = keptByTunnel.values().iterator();
        each.hasNext(); ) {
      Map<Integer, KeptRows> ofTunnel = each.next();
      ofTunnel
          .values()
          .removeIf(
              kept -> {
                boolean isOver =
                    kept.moment.isPresent()
                        && (nowNanos - kept.moment.get().takenNanos() >= ageNanosMax
                            || isMoved(kept));
                if (isOver) {
                  giveUp(kept);
                }
                return isOver;
              });
      if (ofTunnel.isEmpty()) {
        each.remove();
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
      read.sink().failed(stopping());
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
    List<PrimaryKeySchema> schema = catalog.tableOfPartition(read.partition()).meta().primaryKey();
    Optional<Found> kept =
        moment(read.tunnelId(), read.partition())
            .map(moment -> scan(read, schema, moment.rows(), moment.takenMicros()))
            .filter(found -> found.scan() != TableSnapshot.Scan.CLOSED);
    return kept.orElseGet(() -> findNow(read, schema));
  }

  private Found findNow(Read read, List<PrimaryKeySchema> schema) {
    PartitionHost host = hosts.of(read.partition());
    try (TableSnapshot now = host.tableNow(read.partition()).snapshot()) {
      // A page without rows ends the channel: a host that drops rows must not answer.
      host.requireWhole();
      var unused = catalog.tableOfPartition(read.partition());
      Found found = scan(read, schema, now, clock.epochMicros());
      if (found.scan() == TableSnapshot.Scan.CLOSED) {
        throw stopping();
      }
      return found;
    }
  }

  private static Found scan(
      Read read, List<PrimaryKeySchema> schema, TableSnapshot rows, long takenMicros) {
    BasePage page = new BasePage(schema, read.firstPosition(), read.bytesMax());
    return new Found(page, takenMicros, rows.scanBehind(read.partition(), read.after(), page::add));
  }

  /** Keeps no snapshot from now on, and refuses reads that wait; before the shards are closed. */
  @Override
  public void close() {
    isClosed = true;
    refusePostponed();
    synchronized (this) {
      Set.copyOf(keptByTunnel.keySet()).forEach(this::forget);
    }
  }
}
