package io.tunnel.server.replica;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.replica.ReplicaTask.Target;
import io.tunnel.server.replica.history.EpochHistory;
import io.tunnel.server.replica.history.History;
import io.tunnel.server.replica.shared.Markers;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/**
 * A node's replicas of partitions of a shared log, spread over shards. A partition belongs to the
 * shard that its id names. What is on the node's disk is a cache of the log: replicas that are
 * stored there are followed from the start, and whatever is missing is read again.
 */
public final class Replicas implements NodeReplicas {

  private final List<ReplicaShard> shards;
  private final ReplicaConfig config;

  /** Room for writes that have no answer yet. */
  private final WriteBudget writes;

  private final Map<Integer, Target> targets = new ConcurrentHashMap<>();
  private final History history;

  /**
   * Where replicas are kept.
   *
   * @param directory of the replicas alone: what else is in it is deleted
   * @param identity of the log whose replicas these are, and how many shards they are spread over;
   *     those of another are refused
   * @param writers the limits of all shards for writers with numbered batches
   */
  public record Layout(
      Path directory,
      ReplicasIdentity identity,
      LocalDisk disk,
      ReplicaConfig replica,
      TableStoreConfig table,
      WriterLimits writers) {

    int count() {
      return identity.shards();
    }
  }

  /**
   * The disk of all replicas.
   *
   * @param logs where the files of the local logs are
   * @param segmentBytesMax see {@link LocalLog#open}
   * @param freeBytesMin writes are refused as BUSY while the disk has fewer bytes left
   */
  public record LocalDisk(Disks logs, int segmentBytesMax, long freeBytesMin) {}

  /**
   * What replicas need of the cluster. Everything may be asked by any thread.
   *
   * @param markers values of markers, each another one; see {@link Markers}
   * @param leaders where a partition's leader is reached, as HOST:PORT, if it is known
   * @param retentionMicros by partition, how long the log keeps every change; {@link
   *     Long#MAX_VALUE} for ever
   * @param deletionMicros by partition, how long the log keeps deletions at least
   * @param partitions what the catalog says of them
   */
  public record Ports(
      SharedLog log,
      Supplier<Bytes> markers,
      IntFunction<Optional<String>> leaders,
      IntToLongFunction retentionMicros,
      IntToLongFunction deletionMicros,
      KnownPartitions partitions) {}

  /** Replicas of {@code log}, which is also read for channels that want what these have no more. */
  Replicas(List<ReplicaShard> shards, ReplicaConfig config, SharedLog log) {
    this.shards = List.copyOf(shards);
    this.config = config;
    this.writes =
        new WriteBudget(config.batches().queueBytesMax(), config.batches().nodeQueueBytesMax());
    this.history =
        new History(
            config, log, this::epochHistory, partition -> shard(partition).log().wake(partition));
  }

  @Override
  public Incarnations incarnations() {
    return new Incarnations() {
      @Override
      public Optional<IncarnationHistory> of(int partition) {
        return incarnations(partition);
      }

      @Override
      public Optional<Long> newest(int partition) {
        int last = found(partition).map(replica -> replica.epochs().last()).orElse(Stored.NO_EPOCH);
        return last == Stored.NO_EPOCH ? Optional.empty() : Optional.of(last + 1L);
      }
    };
  }

  Optional<IncarnationHistory> incarnations(int partition) {
    return found(partition)
        .map(replica -> replica.epochs().history())
        .filter(history -> history.newest().isPresent());
  }

  private EpochHistory epochHistory(int partition) {
    return found(partition).map(replica -> replica.view().epochHistory()).orElse(EpochHistory.NONE);
  }

  /** Opens what is kept, makes empty what cannot be used, and begins to follow the log. */
  public static Replicas open(Layout layout, Ports ports, Shard.Meter meter, Shard.Clock clock)
      throws IOException {
    ReplicaDirectory directory = new ReplicaDirectory(layout, ports, meter, clock);
    Replicas opened = new Replicas(directory.open(), layout.replica(), ports.log());
    opened.shards.forEach(ReplicaShard::start);
    opened.followStored(ports.partitions()::exists);
    return opened;
  }

  /** Goes on with the replicas that were stored. */
  void followStored(IntPredicate isKnown) {
    shards.forEach(
        shard -> shard.storedAtOpen().stream().filter(isKnown::test).forEach(this::follow));
  }

  private ReplicaShard shard(int partition) {
    return shards.get(partition % shards.size());
  }

  private Optional<Replica> found(int partition) {
    return Optional.ofNullable(shard(partition).replicas().get(partition));
  }

  @Override
  public void follow(int partition) {
    become(partition, Target.FOLLOW);
  }

  @Override
  public void lead(int partition) {
    become(partition, Target.LEAD);
  }

  @Override
  public void leave(int partition) {
    become(partition, Target.LEAVE);
  }

  private void become(int partition, Target target) {
    Target before =
        target == Target.LEAVE ? targets.remove(partition) : targets.put(partition, target);
    if (before != target) {
      shard(partition).post(new ReplicaTask.Become(partition, target));
    }
  }

  @Override
  public Set<Integer> leads() {
    Set<Integer> leads = new TreeSet<>(targets.keySet());
    leads.removeIf(each -> targets.get(each) != Target.LEAD || shard(each).hasFailed());
    return leads;
  }

  @Override
  public Set<Integer> replicas() {
    return new TreeSet<>(targets.keySet());
  }

  @Override
  public Set<Integer> warm() {
    Set<Integer> warm = new TreeSet<>();
    for (ReplicaShard shard : shards) {
      for (Replica replica : shard.replicas().values()) {
        if (isCaughtUp(replica.partition()) && replica.view().lag() <= config.warmLagMax()) {
          warm.add(replica.partition());
        }
      }
    }
    return warm;
  }

  @Override
  public boolean isServing(int partition) {
    return !shard(partition).hasFailed()
        && found(partition).map(replica -> replica.view().isServing()).orElse(false);
  }

  @Override
  public boolean isCaughtUp(int partition) {
    return !shard(partition).hasFailed()
        && found(partition).filter(one -> !one.isFailed() && one.view().isCaughtUp()).isPresent();
  }

  @Override
  public OptionalLong rowEstimate(int partition, long countedMax) {
    Optional<Replica> replica = found(partition).filter(found -> isCaughtUp(partition));
    if (replica.isEmpty()) {
      return OptionalLong.empty();
    }
    long withdrawals = replica.get().withdrawals();
    long rows = shard(partition).rows().readable().count(partition, countedMax).rows();
    boolean isWithdrawn = withdrawals != replica.get().withdrawals();
    return isWithdrawn ? OptionalLong.empty() : OptionalLong.of(rows);
  }

  @Override
  public void lookAtEnds() {
    shards.forEach(ReplicaShard::askEnds);
  }

  @Override
  public List<ReplicaStatus> status() {
    TreeMap<Integer, ReplicaStatus> status = new TreeMap<>();
    for (ReplicaShard shard : shards) {
      for (Replica replica : shard.replicas().values()) {
        Replica.View view = replica.view();
        String role = shard.hasFailed() ? "FAILED" : view.role();
        status.put(
            replica.partition(),
            new ReplicaStatus(replica.partition(), role, view.epoch(), view.next(), view.end()));
      }
    }
    return new ArrayList<>(status.values());
  }

  @Override
  public ReplicaFigures figures() {
    int replicas = 0;
    int leading = 0;
    int behind = 0;
    long unread = 0;
    long reads = 0;
    long queued = 0;
    long local = 0;
    int failed = 0;
    int full = 0;
    int stalled = 0;
    for (ReplicaShard shard : shards) {
      for (Replica replica : shard.replicas().values()) {
        Replica.View view = replica.view();
        replicas++;
        leading += view.isWritable() ? 1 : 0;
        behind += view.isCaughtUp() ? 0 : 1;
        unread += Math.max(0, view.startEnd() - view.next());
        queued += replica.queuedBytes().get();
      }
      reads += shard.readBytes();
      local += shard.log().byteCount();
      failed += shard.hasFailed() ? 1 : 0;
      DiskCondition condition = shard.condition();
      full += condition == DiskCondition.DISK_FULL ? 1 : 0;
      stalled += condition == DiskCondition.DISK_STALLED ? 1 : 0;
    }
    return new ReplicaFigures(
        replicas,
        leading,
        behind,
        unread,
        reads,
        queued,
        local,
        failed,
        full,
        stalled,
        history.reads(),
        history.readBytes(),
        history.heldBytes());
  }

  @Override
  public long freeBytes() {
    return shards.stream().mapToLong(shard -> shard.log().usableBytes()).min().orElseThrow();
  }

  @Override
  public Map<String, Supplier<DiskCondition>> conditions() {
    Map<String, Supplier<DiskCondition>> conditions = new TreeMap<>();
    int id = 0;
    for (ReplicaShard shard : shards) {
      conditions.put("shard " + id++, shard::condition);
    }
    return conditions;
  }

  @Override
  public DiskCondition condition() {
    return shards.stream()
        .map(ReplicaShard::condition)
        .max(Comparator.naturalOrder())
        .orElse(DiskCondition.UP);
  }

  @Override
  public long count(Incident what) {
    return shards.stream().mapToLong(shard -> shard.incidents().sum(what)).sum();
  }

  @Override
  public void retain(long nowMicros) {
    history.keep(this::isServing);
    shards.forEach(shard -> shard.retain(nowMicros));
  }

  @Override
  public PartitionHost of(int partition) {
    ReplicaShard shard = shard(partition);
    Replica replica = shard.replicas().get(partition);
    if (replica == null || shard.hasFailed()) {
      throw shard.notLeader(partition);
    }
    long withdrawals = replica.withdrawals();
    if (!replica.view().isServing()) {
      throw replica.notLeader();
    }
    return new LedPartition(partition, shard, replica, withdrawals, writes);
  }

  @Override
  public long committed(int partition) {
    return shard(partition).log().committed(partition);
  }

  @Override
  public long settled(int partition) {
    long read = found(partition).map(replica -> replica.view().next() - 1).orElse(0L);
    return Math.max(read, committed(partition));
  }

  @Override
  public long firstPosition(int partition) {
    return found(partition)
        .map(
            replica ->
                Math.max(
                    replica.view().firstPosition(), shard(partition).log().keptFrom(partition)))
        .orElseGet(() -> committed(partition) + 1);
  }

  /**
   * From the local log, or, where that does not reach back so far, from the shared one. Only where
   * a partition is served, before and after it was looked, is it known that something is lost: a
   * replica that is given up, or made anew, just does not have it.
   */
  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    boolean wasServing = isServing(partition);
    long first = firstPosition(partition);
    while (position >= first) {
      try {
        return shard(partition).log().plan(partition, position, bytesMax);
      } catch (RefusedException e) {
        // What is trimmed in this moment is read like what was trimmed before.
        first = firstPosition(partition);
        if (position >= first) {
          throw e;
        }
      }
    }
    if (!wasServing) {
      throw shard(partition).notLeader(partition);
    }
    try {
      return older(partition, position, first, bytesMax);
    } catch (RefusedException e) {
      throw isServing(partition) ? e : shard(partition).notLeader(partition);
    }
  }

  private Extents older(int partition, long position, long first, int bytesMax) {
    long known = Math.min(first, epochHistory(partition).from());
    if (position < known) {
      throw new LostHistory(partition, position, known - 1).refusal();
    }
    return history
        .plan(partition, position, first, bytesMax)
        .orElseGet(() -> plan(partition, first, bytesMax));
  }

  @Override
  public long bytesAfter(int partition, long position) {
    return shard(partition).log().bytesAfter(partition, behindFirst(partition, position));
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    long found =
        shard(partition).log().commitMicrosAfter(partition, behindFirst(partition, position));
    // The local log may have none any more.
    return found > 0 || position >= committed(partition)
        ? found
        : found(partition).map(replica -> replica.view().lastMicros()).orElse(0L);
  }

  @Override
  public long positionBefore(int partition, long epochMicros) throws IOException {
    long found = shard(partition).log().positionBefore(partition, epochMicros);
    return behindFirst(partition, found);
  }

  /** The local log has not read all that the shared log had. */
  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return Optional.empty();
  }

  private long behindFirst(int partition, long position) {
    return Math.max(position, firstPosition(partition) - 1);
  }

  @Override
  public void subscribe(int partition, ChangeReader.CommitListener listener) {
    shard(partition).log().subscribe(partition, listener);
  }

  @Override
  public void unsubscribe(int partition, ChangeReader.CommitListener listener) {
    shard(partition).log().unsubscribe(partition, listener);
  }

  @Override
  public void close() throws IOException {
    IOException failure = new IOException("cannot close all shards");
    try {
      history.close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
    for (ReplicaShard shard : shards) {
      try {
        shard.close();
      } catch (IOException | RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
