package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.table.PartitionScan;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a node, as snapshots need them. All methods may be called by any thread and
 * return at once.
 */
final class SnapshotLanes {

  private static final Logger LOGGER = LoggerFactory.getLogger(SnapshotLanes.class);

  /** A change is kept longer by this time, because the clocks of nodes and brokers differ. */
  private static final long CLOCKS_MICROS = TimeUnit.SECONDS.toMicros(10);

  private final AppendReplicas replicas;
  private final Shards shards;
  private final LaneShards lanes;
  private final AppendTimes times;

  /**
   * A partition at a barrier.
   *
   * @param state up to which the scan has the partition
   * @param scan to be closed
   */
  record Scanned(LaneState state, PartitionScan scan) {}

  SnapshotLanes(AppendReplicas replicas, Shards shards, LaneShards lanes, AppendTimes times) {
    this.replicas = replicas;
    this.shards = shards;
    this.lanes = lanes;
    this.times = times;
  }

  /** The partitions that have a lane. */
  Set<Integer> partitions() {
    Set<Integer> partitions = new TreeSet<>(replicas.replicas());
    partitions.removeIf(partition -> view(partition).isEmpty());
    return partitions;
  }

  /** The replica of a partition. */
  Optional<LaneView> view(int partition) {
    return replicas.view(partition);
  }

  /** Whether the node serves a partition in an epoch, and the shard's disk did not fail. */
  boolean isLed(int partition, long epoch) {
    return !shards.of(partition).hasFailed()
        && view(partition).filter(view -> view.served().equals(OptionalLong.of(epoch))).isPresent();
  }

  /** Bytes of changes that the table keeps in this partition; 0 for all. */
  long keptBytes(int partition) {
    return lanes.ports().known().retentionBytes().applyAsLong(partition);
  }

  /** Bytes of the local log after a position. */
  long bytesAfter(int partition, long position) {
    return replicas.changes().localBytesAfter(partition, position);
  }

  /**
   * Scans a partition when all its changes are folded. Nothing is given when the node does not
   * serve the partition in this epoch, or the disk is full or has failed.
   *
   * @param taken is called once by the shard's thread; never when the shard is closed
   */
  void scan(int partition, long epoch, Consumer<Optional<Scanned>> taken) {
    Shard shard = shards.of(partition);
    shard.execute(Set.of(partition), () -> taken.accept(scanned(shard, partition, epoch)));
  }

  private Optional<Scanned> scanned(Shard shard, int partition, long epoch) {
    SharedShardLog log = lanes.log(partition % shards.all().size());
    Optional<SharedLane> lane = log.lane(partition);
    if (lane.isEmpty() || !isLed(partition, epoch) || log.isBehind(partition)) {
      return Optional.empty();
    }
    try {
      PartitionScan scan = shard.renewal().scan(partition);
      return Optional.of(new Scanned(lane.get().state(), scan));
    } catch (IOException e) {
      LOGGER.warn("cannot take a snapshot of partition {} now; will retry", partition, e);
      return Optional.empty();
    }
  }

  /**
   * Appends a control record of an epoch.
   *
   * @param done is called once by the shard's thread; never when the shard is closed
   */
  void append(int partition, long epoch, AppendValue value, Consumer<Outcome> done) {
    Shard shard = shards.of(partition);
    shard.execute(
        Set.of(),
        () -> {
          if (isLed(partition, epoch)) {
            lanes.log(partition % shards.all().size()).append(partition, value, done);
          } else {
            done.accept(Outcome.NEVER);
          }
        });
  }

  /**
   * Where the changes begin that the table keeps by their time; empty when this node does not know
   * now, or when the catalog of this node may lack an alteration that keeps more.
   */
  CompletableFuture<Optional<Kept>> kept(int partition) {
    AppendReplicas.Known known = lanes.ports().known();
    long micros = known.retentionMicros().applyAsLong(partition);
    // A search takes time, so the catalog is asked after the search.
    return keptFor(partition, micros)
        .thenApply(
            kept ->
                kept.filter(
                    any ->
                        known.isRecent().getAsBoolean()
                            && known.retentionMicros().applyAsLong(partition) <= micros));
  }

  private CompletableFuture<Optional<Kept>> keptFor(int partition, long micros) {
    return micros == Long.MAX_VALUE
        ? CompletableFuture.completedFuture(Optional.of(new Kept(1, 0)))
        : times.firstKept(
            partition, lanes.clock().passed().micros(micros) - micros - CLOCKS_MICROS);
  }
}
