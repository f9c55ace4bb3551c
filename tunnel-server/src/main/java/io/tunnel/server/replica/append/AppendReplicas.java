package io.tunnel.server.replica.append;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.OwnCatalog;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.KnownPartitions;
import io.tunnel.server.replica.LocalRetention;
import io.tunnel.server.replica.NodeReplicas;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.ReplicaFigures;
import io.tunnel.server.replica.ReplicasIdentity;
import io.tunnel.server.replica.SnapshotFigures;
import io.tunnel.server.replica.append.LaneKeeper.Target;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A node's replicas of partitions of a log of appends, spread over shards. A partition belongs to
 * the shard that its id names. Each shard is the shard of a single server over a {@link
 * SharedShardLog}, with a keeper that follows and leads.
 */
public final class AppendReplicas implements NodeReplicas {

  private final Shards shards;
  private final List<LaneKeeper> keepers;
  private final List<LocalRetention> retentions;
  private final Ports ports;
  private final ReplicaConfig config;
  private final Shard.Clock clock;
  private final AppendHistory history;
  private final AppendTimes times;
  private final LaneChanges changes;
  private final Snapshots snapshots;
  private final Map<Integer, Target> targets = new ConcurrentHashMap<>();

  /**
   * Where replicas are kept.
   *
   * @param identity of the cluster whose replicas these are
   * @param shards the directory of the replicas alone, and the limits of the shards
   */
  public record Layout(ReplicasIdentity identity, Shards.Layout shards, ReplicaConfig replica) {}

  /**
   * What replicas need of the cluster. Everything may be asked by any thread.
   *
   * @param leaders where a partition's leader is reached, as HOST:PORT, if the address is known
   */
  record Ports(
      ReadableAppendLog log,
      Self self,
      IntFunction<Optional<String>> leaders,
      Known known,
      TopicProblems problems,
      Snapshots.Ports snapshots) {}

  /**
   * What the markers of a node say.
   *
   * @param node the id of this node
   * @param start differs between two starts of the node
   * @param markers random numbers, no two alike
   */
  public record Self(String node, String start, LongSupplier markers) {}

  /**
   * What the catalog says. Everything may be asked by any thread.
   *
   * @param catalog of partitions that were not dropped
   * @param partitions which partitions exist, and which were dropped
   * @param retentionMicros by partition, how long the table keeps changes; {@link Long#MAX_VALUE}
   *     for ever
   * @param retentionBytes by partition, how many bytes of changes the table keeps in the partition;
   *     0 for all
   * @param isRecent whether the catalog is recent enough to trim by the two retentions
   */
  public record Known(
      OwnCatalog catalog,
      KnownPartitions partitions,
      IntToLongFunction retentionMicros,
      IntToLongFunction retentionBytes,
      BooleanSupplier isRecent) {}

  /**
   * What a node has of the shared log.
   *
   * @param blocks of snapshots
   * @param threads for snapshots, and for replicas that begin; to be closed after the replicas
   * @param others replicas on other nodes
   */
  public record Shared(
      ReadableAppendLog log,
      SnapshotBlocks blocks,
      TopicProblems problems,
      Snapshots.Threads threads,
      OtherReplicas others) {}

  /** Replicas of open shards; {@code snapshotClock} times snapshots and trims. */
  AppendReplicas(
      Shards shards,
      List<LaneKeeper> keepers,
      LaneShards lanes,
      ReplicaConfig config,
      Shard.Clock snapshotClock) {
    this.shards = shards;
    this.keepers = List.copyOf(keepers);
    this.ports = lanes.ports();
    this.config = config;
    this.clock = lanes.clock();
    this.retentions = FoldedTable.retentions(shards.all(), config, ports.known());
    this.history =
        new AppendHistory(
            new AppendHistory.Limits(
                config.history().readBytesMax(),
                config.history().heldBytesMax(),
                config.history().readPartitionsMax()),
            ports.log(),
            this::known,
            partition -> local(partition).wake(partition));
    this.times = new AppendTimes(ports.log(), this::known);
    this.changes = new LaneChanges(this, shards, history);
    this.snapshots =
        new Snapshots(
            new SnapshotLanes(this, shards, lanes, times), ports.snapshots(), snapshotClock);
  }

  /**
   * Opens what is kept, deletes what cannot be used, and follows the stored replicas; {@code
   * leaders} is as {@link Ports} says.
   */
  public static AppendReplicas open(
      Layout layout,
      Shared shared,
      Self self,
      Known known,
      IntFunction<Optional<String>> leaders,
      Outside outside)
      throws IOException {
    ReplicaStart start =
        new ReplicaStart(
            shared.log(), shared.blocks(), shared.threads().waiting(), shared.threads().waits());
    Snapshots.Ports snapshots =
        new Snapshots.Ports(
            start,
            shared.log(),
            shared.blocks(),
            shared.threads(),
            shared.others(),
            Snapshots.Limits.ofNode());
    Ports ports = new Ports(shared.log(), self, leaders, known, shared.problems(), snapshots);
    LaneShards lanes = LaneShards.of(layout, ports, outside.clock());
    AppendReplicas opened = prepare(layout, lanes, outside.meter());
    opened.shards.start();
    opened.followAll(lanes.stored());
    return opened;
  }

  /** What watches a node's shards, and the clock. */
  public record Outside(Shard.Meter meter, Shard.Clock clock) {}

  /** As {@link #open}; no thread runs, and nothing is followed. */
  static AppendReplicas prepare(Layout layout, LaneShards lanes, Shard.Meter meter)
      throws IOException {
    layout.identity().claim(layout.shards().directory());
    Ports ports = lanes.ports();
    Shards shards =
        Shards.openCache(layout.shards(), ports.known().catalog(), lanes, meter, lanes.clock());
    return new AppendReplicas(
        shards, lanes.keepers(shards), lanes, layout.replica(), lanes.clock());
  }

  /** Follows what was stored of partitions that exist. */
  void followAll(Set<Integer> stored) {
    stored.stream().filter(ports.known().partitions()::exists).forEach(this::follow);
  }

  /** Before {@link #close}: ends the snapshot that is taken. */
  CompletableFuture<Void> stopSnapshots() {
    return snapshots.stop();
  }

  /** All shards, in the order of their numbers. */
  public List<Shard> shards() {
    return shards.all();
  }

  private Shard shard(int partition) {
    return shards.of(partition);
  }

  private LocalLog local(int partition) {
    return shard(partition).log();
  }

  private KnownLog known(int partition) {
    return view(partition).map(LaneView::log).orElse(KnownLog.NONE);
  }

  LaneKeeper keeper(int partition) {
    return keepers.get(partition % keepers.size());
  }

  Optional<LaneView> view(int partition) {
    return keeper(partition).view(partition);
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
      keeper(partition).become(partition, target);
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
    long lagMax = config.warmLagMax();
    Set<Integer> warm = new TreeSet<>();
    for (LaneKeeper keeper : keepers) {
      for (int partition : keeper.partitions()) {
        if (isCaughtUp(partition)
            && view(partition).filter(found -> found.progress().lag() <= lagMax).isPresent()) {
          warm.add(partition);
        }
      }
    }
    return warm;
  }

  @Override
  public boolean isServing(int partition) {
    return !shard(partition).hasFailed() && keeper(partition).served(partition).isPresent();
  }

  @Override
  public boolean isCaughtUp(int partition) {
    return !shard(partition).hasFailed()
        && view(partition).filter(LaneView::isCaughtUp).isPresent();
  }

  /** Rows of a follower may change meanwhile, as an estimate may. */
  @Override
  public OptionalLong rowEstimate(int partition, long countedMax) {
    return isCaughtUp(partition)
        ? OptionalLong.of(shard(partition).table().count(partition, countedMax).rows())
        : OptionalLong.empty();
  }

  @Override
  public void lookAtEnds() {
    keepers.forEach(LaneKeeper::askEnds);
  }

  @Override
  public void tick() {
    keepers.forEach(LaneKeeper::tick);
    snapshots.tick();
  }

  @Override
  public List<ReplicaStatus> status() {
    return LaneFigures.status(shards, keepers);
  }

  @Override
  public ReplicaFigures figures() {
    return LaneFigures.of(shards.all(), keepers, history);
  }

  @Override
  public SnapshotFigures snapshots() {
    return snapshots.figures();
  }

  @Override
  public long freeBytes() {
    return shards.all().stream().mapToLong(shard -> shard.log().usableBytes()).min().orElseThrow();
  }

  @Override
  public Map<String, Supplier<DiskCondition>> conditions() {
    Map<String, Supplier<DiskCondition>> conditions = new TreeMap<>();
    int id = 0;
    for (Shard shard : shards.all()) {
      conditions.put("shard " + id++, shard::condition);
    }
    return conditions;
  }

  @Override
  public DiskCondition condition() {
    return shards.condition();
  }

  @Override
  public long count(Incident what) {
    return keepers.stream().mapToLong(keeper -> keeper.incidents().sum(what)).sum();
  }

  @Override
  public void retain(long nowMicros) {
    shards.all().forEach(Shard::lookForRoom);
    history.keep(this::isServing);
    times.keep(this::isServing);
    for (int shard = 0; shard < keepers.size(); shard++) {
      keepers.get(shard).retain(retentions.get(shard), nowMicros);
    }
  }

  @Override
  public Incarnations incarnations() {
    return new Incarnations() {
      @Override
      public Optional<IncarnationHistory> of(int partition) {
        return view(partition)
            .map(LaneView::incarnations)
            .filter(history -> history.newest().isPresent());
      }
    };
  }

  @Override
  public PartitionHost of(int partition) {
    OptionalLong epoch = keeper(partition).served(partition);
    if (epoch.isEmpty() || shard(partition).hasFailed()) {
      throw notLeader(partition);
    }
    return new LedLane(partition, this, shard(partition), keeper(partition), epoch);
  }

  RefusedException notLeader(int partition) {
    String reason =
        LaneAnswers.notLed(partition, view(partition), keeper(partition).unservable(partition));
    boolean isAwaited = targets.get(partition) == Target.LEAD;
    return RefusedException.notLeader(
        reason, isAwaited ? Optional.empty() : ports.leaders().apply(partition));
  }

  /** Refuses a read when the log has not confirmed for too long that this node leads. */
  void requireFresh(int partition) {
    long msMax = config.times().readAgeMsMax();
    OptionalLong confirmed = keeper(partition).confirmedNanos(partition);
    boolean isFresh =
        msMax == 0
            || (confirmed.isPresent()
                && clock.nanos() - confirmed.getAsLong() <= TimeUnit.MILLISECONDS.toNanos(msMax));
    if (!isFresh) {
      keeper(partition).incidents().count(Incident.READ_TOO_OLD, 1);
      throw RefusedException.notLeader(
          "this node has not heard from the log of partition %d for more than %d ms"
              .formatted(partition, msMax),
          ports.leaders().apply(partition));
    }
  }

  @Override
  public long committed(int partition) {
    return changes.committed(partition);
  }

  @Override
  public long firstPosition(int partition) {
    return changes.firstPosition(partition);
  }

  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    return changes.plan(partition, position, bytesMax);
  }

  @Override
  public long bytesAfter(int partition, long position) {
    return changes.bytesAfter(partition, position);
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    return changes.commitMicrosAfter(partition, position);
  }

  @Override
  public long positionBefore(int partition, long epochMicros) throws IOException {
    return changes.positionBefore(partition, epochMicros);
  }

  /** The local log is trimmed earlier than the shared log. */
  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return Optional.empty();
  }

  /** Looks at the partitions that this node leads, for this node and for others. */
  public PartitionLooks looks() {
    return new LaneLooks(this, times, snapshots, clock);
  }

  /** Runs a read as {@link PartitionHost#executeStrictly} does, on whatever host there is. */
  void read(int partition, Runnable action, Consumer<RefusedException> refused) {
    keeper(partition).read(partition, action, refused);
  }

  @Override
  public long firstKeptPosition(int partition) {
    return Math.min(firstPosition(partition), known(partition).firstPosition());
  }

  /** Changes that were committed before this time are not kept by their table. */
  long keptMicros(int partition) {
    long retention = ports.known().retentionMicros().applyAsLong(partition);
    return retention == Long.MAX_VALUE ? 0 : clock.epochMicros() - retention;
  }

  LaneChanges changes() {
    return changes;
  }

  @Override
  public void subscribe(int partition, CommitListener listener) {
    local(partition).subscribe(partition, listener);
  }

  @Override
  public void unsubscribe(int partition, CommitListener listener) {
    local(partition).unsubscribe(partition, listener);
  }

  @Override
  public void close() throws IOException {
    IOException failure = new IOException("cannot close all shards");
    List<Closeable> all = new ArrayList<>(List.of(snapshots, history, times));
    all.addAll(keepers);
    all.add(shards);
    for (Closeable each : all) {
      try {
        each.close();
      } catch (IOException | RuntimeException e) {
        failure.addSuppressed(e);
      }
    }
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}
