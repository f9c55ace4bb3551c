package io.tunnel.server.replica.append;

import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.replica.ReplicaFigures;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Sums the figures of a node's replicas. */
final class LaneFigures {

  private static final String FAILED = "FAILED";

  private LaneFigures() {}

  /** Of all replicas of these shards. */
  static ReplicaFigures of(List<Shard> shards, List<LaneKeeper> keepers, AppendHistory history) {
    int replicas = 0;
    int leading = 0;
    int behind = 0;
    long unread = 0;
    for (LaneKeeper keeper : keepers) {
      replicas += keeper.starting();
      behind += keeper.starting();
      for (int partition : keeper.partitions()) {
        Optional<LaneView> found = keeper.view(partition);
        if (found.isPresent()) {
          replicas++;
          leading += found.get().served().isPresent() ? 1 : 0;
          behind += found.get().isCaughtUp() ? 0 : 1;
          unread += found.get().progress().unread();
        }
      }
    }
    return new ReplicaFigures(
        replicas,
        leading,
        behind,
        unread,
        keepers.stream().mapToLong(LaneKeeper::readBytes).sum(),
        shards.stream().mapToLong(Shard::queuedBytes).sum(),
        shards.stream().mapToLong(shard -> shard.log().byteCount()).sum(),
        count(shards, DiskCondition.STORAGE_FAILED),
        count(shards, DiskCondition.DISK_FULL),
        count(shards, DiskCondition.DISK_STALLED),
        history.reads(),
        history.readBytes(),
        history.heldBytes());
  }

  /** The status of all replicas, sorted by partition. */
  static List<ReplicaStatus> status(Shards shards, List<LaneKeeper> keepers) {
    Map<Integer, ReplicaStatus> status = new TreeMap<>();
    for (LaneKeeper keeper : keepers) {
      keeper
          .unservable()
          .forEach((partition, why) -> status.put(partition, unservable(partition, why)));
      for (int partition : keeper.partitions()) {
        boolean hasFailed = shards.of(partition).hasFailed();
        keeper
            .view(partition)
            .ifPresent(found -> status.put(partition, status(partition, hasFailed, found)));
      }
    }
    return List.copyOf(status.values());
  }

  private static ReplicaStatus status(int partition, boolean hasFailed, LaneView view) {
    return new ReplicaStatus(
        partition,
        hasFailed ? FAILED : view.role(),
        view.epoch(),
        view.progress().next(),
        // What the lane has read may be on no disk.
        hasFailed ? ReplicaStatus.UNKNOWN : view.progress().end(),
        hasFailed ? Optional.of("the storage of the replica's shard has failed") : view.trouble());
  }

  /** A replica without a lane has read nothing, and does not ask for the end of the log. */
  private static ReplicaStatus unservable(int partition, String why) {
    return new ReplicaStatus(partition, FAILED, 0, 0, ReplicaStatus.UNKNOWN, Optional.of(why));
  }

  private static int count(List<Shard> shards, DiskCondition condition) {
    return (int) shards.stream().filter(shard -> shard.condition() == condition).count();
  }
}
