package io.tunnel.server.replica;

import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.replica.history.History;
import java.util.List;

/**
 * Figures of all replicas of a node.
 *
 * @param waitingReadBytes bytes of records that were read but not folded
 * @param waitingWriteBytes bytes of batches that were accepted but not answered
 * @param localBytes of the local logs
 * @param failedShards whose disk failed
 * @param fullShards whose disk has no room
 * @param stalledShards whose disk needs longer than 3 s for a write
 * @param behind replicas that have not caught up with the end of the log as of their start
 * @param unread positions that these replicas must read to catch up
 * @param historyReads reads of the shared log for changes missing in the local logs
 * @param historyBytes of those
 * @param heldBytes bytes of those reads now in memory
 */
public record ReplicaFigures(
    int replicas,
    int leading,
    int behind,
    long unread,
    long waitingReadBytes,
    long waitingWriteBytes,
    long localBytes,
    int failedShards,
    int fullShards,
    int stalledShards,
    long historyReads,
    long historyBytes,
    long heldBytes) {

  /** Of all replicas of these shards. */
  static ReplicaFigures of(List<ReplicaShard> shards, History history) {
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
}
