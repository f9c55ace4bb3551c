package io.tunnel.server.partition;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.disk.DiskWatch;
import io.tunnel.server.log.LocalLog;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the disk of a shard allows, be it one of partitions or one of replicas. Moved by the shard's
 * thread alone; any thread may look, and waits for nothing.
 */
final class ShardDisk {

  private static final Logger LOGGER = LoggerFactory.getLogger(ShardDisk.class);

  private final int shard;
  private final long freeBytesMin;
  private final LocalLog log;
  private final DiskWatch watch;

  private volatile ShardState state = ShardState.SERVING;

  /** Of a disk that has {@code log}, and on which so many bytes are to stay free. */
  ShardDisk(int shard, long freeBytesMin, LocalLog log, Shard.Clock clock) {
    this.shard = shard;
    this.freeBytesMin = freeBytesMin;
    this.log = log;
    this.watch = new DiskWatch(clock::nanos);
    findRoom();
  }

  ShardState state() {
    return state;
  }

  void move(ShardState next, String reason) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException(
          "shard " + shard + " cannot go from " + state + " to " + next + ": " + reason);
    }
    boolean isOfEachGroup =
        next == ShardState.FOLDING
            ? state == ShardState.SERVING
            : next == ShardState.SERVING && state == ShardState.FOLDING;
    if (state != next && !isOfEachGroup) {
      LOGGER.warn("shard {} goes from {} to {}: {}", shard, state, next, reason);
    }
    state = next;
  }

  /**
   * Something failed. If it was the log, before anything of a group counted, the rows are intact.
   */
  void fail(Throwable cause, String message) {
    if (!state.isFinal()) {
      LOGGER.error("shard {} stops writing: its disk failed, or an error hit it", shard, cause);
    }
    boolean isLogAlone = cause instanceof IOException && state != ShardState.FOLDING;
    move(isLogAlone && !state.hidesRows() ? ShardState.READ_ONLY : ShardState.FAILED, message);
  }

  /** The disk had no space for a group, or for its rows. */
  void filled(String message) {
    boolean isBehind = state == ShardState.FOLDING || state == ShardState.BEHIND;
    move(isBehind ? ShardState.BEHIND : ShardState.FULL, message);
  }

  /** A group is written from now on. */
  void began() {
    watch.began();
  }

  /** The group is written and, where it asks for it, synced. */
  void ended() {
    watch.ended();
  }

  /** The log may know of a failure that the shard has not met. */
  DiskCondition condition() {
    if (state.isFinal() || log.hasFailed()) {
      return DiskCondition.STORAGE_FAILED;
    }
    if (state.wantsRoom()) {
      return DiskCondition.DISK_FULL;
    }
    return watch.isStalled() ? DiskCondition.DISK_STALLED : DiskCondition.UP;
  }

  /** The table, the catalog and compaction need space as well, so the log leaves some. */
  void requireRoom() throws DiskFullException {
    if (state == ShardState.BEHIND) {
      throw new DiskFullException("the last writes are not in the table");
    }
    requireLeft(freeBytesMin);
  }

  private void requireLeft(long bytesMin) throws DiskFullException {
    long left = log.usableBytes();
    if (left < bytesMin) {
      throw new DiskFullException(noRoom(left));
    }
  }

  /** The message for a write that found no disk space. */
  static RefusedException refusal(String message) {
    return new RefusedException(
        ErrorCode.BUSY,
        "the server's disk is full ("
            + message
            + "); nothing of this was written, try again when there is space");
  }

  /** Whether it waits for disk space. */
  boolean wantsRoom() {
    return state.wantsRoom();
  }

  /** A disk gets full, and has space again, although no writer writes. */
  void findRoom() {
    if (state != ShardState.FULL && state != ShardState.SERVING) {
      return;
    }
    long left = log.usableBytes();
    boolean hasRoom = left >= Math.max(1, freeBytesMin);
    if (hasRoom && state == ShardState.FULL) {
      move(ShardState.SERVING, "there is space");
    } else if (!hasRoom && state == ShardState.SERVING) {
      move(ShardState.FULL, noRoom(left));
    }
  }

  private String noRoom(long left) {
    return left + " bytes are left, and shard.freeBytesMin is " + freeBytesMin;
  }

  /** Throws when rows lack something that was acknowledged, or may lack it. */
  void requireRowsWhole() {
    ShardState now = state;
    if (!now.hidesRows()) {
      return;
    }
    throw now == ShardState.BEHIND
        ? new RefusedException(
            ErrorCode.BUSY,
            "the server's disk is full, and the last writes are not in the table; try again later")
        : new RefusedException(
            ErrorCode.STORAGE_FAILED,
            "the server's disk failed; rows can be read again after a restart of the server");
  }
}
