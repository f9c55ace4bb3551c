package io.tunnel.server.replica;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardDisk;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.replica.history.EpochHistory;
import io.tunnel.server.replica.history.LeaderEpochs;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data of a shard's replicas on disk: changes in the local log, rows and states in the table.
 *
 * <p>For each partition, the local log has all changes from a first position to the last change.
 * Its content does not depend on the replica that appended it, so a rebuilt replica skips the
 * changes that the log already has. The first position is the highest of three: the oldest change
 * that the log kept, the position where the replica is whole, and the replica's floor, which
 * therefore outlives the replica.
 */
final class ReplicaStore implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ReplicaStore.class);

  private final int shard;
  private final LocalLog log;
  private final ReplicaRows rows;
  private final Writers writers;
  private final ShardDisk disk;
  private final Shard.Meter meter;
  private final Shard.Clock clock;
  private final SortedMap<Integer, StoredReplica> stored = new TreeMap<>();

  /** What the disk had no room for yet; all of it was read. */
  private Optional<Fold> left = Optional.empty();

  /** An unfinished fold into the table, which ends before the next fold begins. */
  private Optional<Begun> begun = Optional.empty();

  /** A fold into the table that was begun, and its offsets. */
  private record Begun(TableFold fold, TableFold.Offsets offsets) {}

  /** A log and the rows of the same directory, on a disk that keeps so many bytes free. */
  ReplicaStore(
      int shard,
      LocalLog log,
      ReplicaRows rows,
      long freeBytesMin,
      Shard.Meter meter,
      Shard.Clock clock) {
    this.shard = shard;
    this.log = log;
    this.rows = rows;
    this.writers = new Writers(rows.writers());
    this.disk = new ShardDisk(shard, freeBytesMin, log, clock);
    this.meter = meter;
    this.clock = clock;
    rows.states().forEach((partition, state) -> stored.put(partition, StoredReplica.decode(state)));
  }

  /**
   * Throws unless the log has what it had when the states were stored: the log on disk is never
   * behind the table on disk.
   */
  static void requireWhole(LocalLog log, Map<Integer, Bytes> states) throws IOException {
    for (Map.Entry<Integer, Bytes> entry : states.entrySet()) {
      long logged;
      try {
        logged = StoredReplica.decode(entry.getValue()).logged();
      } catch (MalformedException e) {
        throw new IOException("the replica of partition " + entry.getKey() + " is damaged", e);
      }
      long end = log.committed(entry.getKey());
      if (end < logged) {
        throw new IOException(
            "the local log of partition "
                + entry.getKey()
                + " ends at position "
                + end
                + ", but had changes up to "
                + logged);
      }
    }
  }

  LocalLog log() {
    return log;
  }

  ReplicaRows rows() {
    return rows;
  }

  /** The writers that number their batches. */
  Writers writers() {
    return writers;
  }

  /** What the disk of log and rows allows. */
  ShardDisk disk() {
    return disk;
  }

  /** Partitions that had a replica at some time. */
  Set<Integer> known() {
    return stored.keySet();
  }

  /** Partitions whose stored replica can resume. */
  List<Integer> partitions() {
    return stored.entrySet().stream()
        .filter(entry -> entry.getValue().replica().next() > 0)
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * Where the replica of a partition begins, or goes on. A replica of a log of another origin than
   * {@code origin}, where that is known, is given up: another table had the partition's id.
   */
  StoredReplica begin(int partition, Bytes origin) throws IOException {
    StoredReplica found = stored.getOrDefault(partition, StoredReplica.EMPTY);
    long next = found.replica().next();
    if (next > 0 && origin.length() > 0 && !found.origin().equals(origin)) {
      LOGGER.warn(
          "the replica of partition {} is of a log of origin '{}', its table's has {}; it is made"
              + " again",
          partition,
          found.origin(),
          origin);
      long floor = log.committed(partition) + 1;
      drop(partition, 0, new Left(floor, Math.max(floor, next), origin));
    } else if (next == 0) {
      // A crash may have left rows of a replica that was given up.
      rows.drop(partition);
      writers.drop(partition);
    }
    StoredReplica state = stored.getOrDefault(partition, StoredReplica.EMPTY);
    return state.origin().length() == 0 ? state.ofOrigin(origin) : state;
  }

  /**
   * What a replica that is given up leaves.
   *
   * @param floor no change before is to be read from the local log
   * @param barrier nothing before is to be read from the shared log either
   * @param origin of the log
   */
  record Left(long floor, long barrier, Bytes origin) {
    Left(Replica replica) {
      this(replica.floor(), replica.barrier(), replica.ends().origin());
    }
  }

  /**
   * Deletes the data of a replica; the next replica begins at {@code next}.
   *
   * @throws io.tunnel.server.disk.DiskFullException when the disk has no room to record the
   *     deletion; call again
   * @throws IllegalStateException while {@link #fold} has not stored its whole batch: the batch may
   *     have changes of this replica
   */
  void drop(int partition, long next, Left leaving) throws IOException {
    if (left.isPresent()) {
      throw new IllegalStateException(
          "partition "
              + partition
              + " cannot be dropped from shard "
              + shard
              + " before "
              + left.get().rowCount
              + " rows that found no room are stored");
    }
    StoredReplica left =
        new StoredReplica(
            ReplicaState.beginningAt(next),
            log.committed(partition),
            0,
            leaving.floor(),
            clock.epochMicros(),
            next == 0 ? Bytes.EMPTY : leaving.origin(),
            next == 0
                ? EpochHistory.begin(leaving.barrier())
                : new EpochHistory(leaving.barrier(), List.of()),
            LeaderEpochs.NONE);
    runBegun();
    beginFold(
        List.of(),
        new BesideRows(
            Map.of(partition, left.encode()),
            Map.of(),
            Writers.without(partition, rows.writers().keySet())));
    runBegun();
    stored.put(partition, left);
    rows.drop(partition);
    writers.drop(partition);
  }

  /** What replicas have read, and how much of it is done. */
  private static final class Fold {
    private final List<Replica> replicas;
    private final List<ChangeBatch> changes = new ArrayList<>();
    private final List<ChangeBatch> rows = new ArrayList<>();
    private long rowCount;
    private long bytes;
    private long logNanos;
    private boolean isLogged;

    /** Whether the fold into the table was begun. */
    private boolean isBegun;

    Fold(List<Replica> replicas) {
      this.replicas = replicas;
      for (Replica replica : replicas) {
        replica.takeRuns().forEach(this::add);
      }
    }

    private void add(RunCore.Run run) {
      run.changes().ifPresent(changes::add);
      rows.add(run.rows());
      rowCount += run.rows().rowCount();
      bytes += run.rows().byteCount();
    }
  }

  /**
   * Puts what the replicas have read into the log and then into the table, behind what there was no
   * room for before.
   *
   * @param intoReserve whether all of what is to stay free may be taken for it
   * @throws io.tunnel.server.disk.DiskFullException when there is no room for all of it: the next
   *     call goes on, and nothing else is to be stored before
   */
  void fold(List<Replica> dirty, boolean intoReserve) throws IOException {
    disk.began();
    try {
      finishLeft();
      if (!dirty.isEmpty()) {
        if (!intoReserve) {
          disk.requireRoomToFinish();
        }
        left = Optional.of(new Fold(dirty));
        finishLeft();
      }
    } finally {
      disk.ended();
    }
  }

  private void finishLeft() throws IOException {
    if (left.isPresent()) {
      finish(left.get());
      left = Optional.empty();
    }
  }

  private void finish(Fold fold) throws IOException {
    long started = clock.nanos();
    if (!fold.isLogged) {
      log.adopt(fold.changes);
      fold.isLogged = true;
      fold.logNanos = clock.nanos() - started;
    }
    long logged = clock.nanos();
    runBegun();
    if (!fold.isBegun) {
      Map<Integer, Bytes> states = new HashMap<>();
      for (Replica replica : fold.replicas) {
        StoredReplica state = replica.state();
        states.put(replica.partition(), state.encode());
        stored.put(replica.partition(), state);
      }
      fold.isBegun = true;
      beginFold(fold.rows, new BesideRows(states, Map.of(), writers.takeRaised(states.keySet())));
      runBegun();
    }
    meter.committed(shard, fold.rowCount, fold.bytes, fold.logNanos);
    meter.folded(shard, clock.nanos() - logged);
  }

  private void beginFold(List<ChangeBatch> batches, BesideRows beside) {
    long end = log.end();
    begun =
        Optional.of(
            new Begun(
                rows.begin(batches, beside), new TableFold.Offsets(rows.foldedOffset(), end, end)));
  }

  /** Makes the fold into the table whole, if one was begun. */
  private void runBegun() throws IOException {
    if (begun.isPresent()) {
      boolean isWhole = false;
      while (!isWhole) {
        isWhole = begun.get().fold().run(begun.get().offsets(), () -> true);
      }
      begun = Optional.empty();
    }
  }

  @Override
  public void close() throws IOException {
    try (log;
        rows) {
      log.sync();
    }
  }
}
