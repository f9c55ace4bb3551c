package io.tunnel.server.replica.append;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.snapshot.DueCore;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** A node whose partitions are never due for a snapshot, and whose logs are never trimmed. */
final class NoSnapshots implements SnapshotBlocks {

  private static final Snapshots.Limits NEVER =
      new Snapshots.Limits(
          new DueCore.Limits(Long.MAX_VALUE / 4, 1, Long.MAX_VALUE / 4, 1, 1), Long.MAX_VALUE);

  private NoSnapshots() {}

  /** For replicas that begin so. */
  static Snapshots.Ports of(LaneStarts starts, ReadableAppendLog log) {
    return new Snapshots.Ports(
        starts,
        log,
        new NoSnapshots(),
        new Snapshots.Threads(Runnable::run, Runnable::run),
        OtherReplicas.NONE,
        NEVER);
  }

  @Override
  public void append(int partition, Bytes block, Appended appended) {
    appended.done(OptionalLong.empty());
  }

  @Override
  public Reading reading(int partition) {
    return offset -> Optional.empty();
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
