package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.SnapshotStep.Take;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotWriter;
import io.tunnel.server.replica.snapshot.SnapshotWriter.State;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A snapshot that the node writes: reads slices of the partition's scan, and appends blocks. For
 * the owner's thread of {@link Snapshots}.
 */
final class SnapshotTaking implements AutoCloseable {

  /**
   * How late slices may be made up for: the owner's thread looks every 25 ms, and slices of a pace
   * of 32 MiB/s are 8 ms apart.
   */
  static final long LATE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(50);

  private final Take step;
  private final LaneState state;
  private final SnapshotWriter writer;
  private OptionalLong begunNanos = OptionalLong.empty();
  private OptionalLong dueNanos = OptionalLong.empty();

  /**
   * Begins.
   *
   * @param owner runs an action on the owner's thread
   * @param limits of the snapshot
   */
  SnapshotTaking(
      Take step,
      SnapshotLanes.Scanned scanned,
      SnapshotBlocks blocks,
      Executor owner,
      SnapshotWriter.Limits limits) {
    this.step = step;
    this.state = scanned.state();
    this.writer =
        new SnapshotWriter(
            new SnapshotWriter.Source(
                step.partition(),
                SnapshotWriter.id(state.follow().next(), step.attempt()),
                scanned.scan()),
            blocks,
            owner,
            limits);
  }

  Take step() {
    return step;
  }

  /** Why there is no snapshot. */
  String why() {
    return writer.why();
  }

  /** Bytes of the blocks. */
  long bytes() {
    return writer.bytes();
  }

  /** Milliseconds since the first slice; 0 before. */
  long millis(long nowNanos) {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos - begunNanos.orElse(nowNanos));
  }

  /** Writes the slices that are due, and ends a snapshot that takes too long. */
  State advance(long nowNanos, long bytesPerSecond) {
    begunNanos = OptionalLong.of(begunNanos.orElse(nowNanos));
    long due = dueNanos.orElse(nowNanos);
    long at = nowNanos - due > LATE_NANOS_MAX ? nowNanos - LATE_NANOS_MAX : due;
    boolean hasWritten = true;
    while (hasWritten && nowNanos - at >= 0) {
      State reached = writer.step(at, bytesPerSecond);
      hasWritten = reached == State.WRITING && writer.dueNanos() - at > 0;
      at = writer.dueNanos();
    }
    State reached = writer.step(nowNanos, bytesPerSecond);
    dueNanos = OptionalLong.of(writer.dueNanos());
    return reached;
  }

  /** The record of a complete snapshot. */
  Snapshot snapshot() {
    return new Snapshot(
        SnapshotWriter.id(state.follow().next(), step.attempt()),
        state.follow(),
        state.lastMicros(),
        state.trimmed(),
        writer.content());
  }

  /** Stops, and releases RocksDB's snapshot. */
  @Override
  public void close() {
    writer.close();
  }
}
