package io.tunnel.server.log;

import java.io.IOException;
import java.util.function.Supplier;

/**
 * Up to where a log is durable, and whether its disk can still be trusted. Safe for use by any
 * thread.
 *
 * <p>Two threads sync a log: its owner, and RocksDB's before rows become a file. The operating
 * system tells of a write that failed in the background once for each open file, to the sync that
 * looks first, and keeps the pages as if they had been written. Of two syncs that overlap, the
 * second may therefore succeed although its bytes are not on the disk. So:
 *
 * <ul>
 *   <li>there is one sync at a time;
 *   <li>a failure is noted before the next sync begins, and every later sync fails;
 *   <li>the offset is the log's end from before the sync: bytes appended during a sync may not be
 *       durable after it.
 * </ul>
 *
 * <p>The lock is held across the system's call, and nothing else is locked inside. An append does
 * not take it; an append that asks for no sync looks after its write whether the log has failed.
 */
final class SyncedEnd {

  private final int shard;

  /** Grows only; at most the end of the log. */
  private volatile long offset;

  /** Never false again: what the disk holds is known only to a start that reads and writes it. */
  private volatile boolean hasFailed;

  /** Of a log whose first {@code offset} bytes are durable. */
  SyncedEnd(int shard, long offset) {
    this.shard = shard;
    this.offset = offset;
  }

  /** Offset up to which everything is durable. */
  long offset() {
    return offset;
  }

  boolean hasFailed() {
    return hasFailed;
  }

  /** Nothing is appended or synced any more. */
  void fail() {
    hasFailed = true;
  }

  /** Throws when the log has failed. */
  void requireWhole() throws IOException {
    if (hasFailed) {
      throw new IOException("the log of shard " + shard + " failed before and accepts no more");
    }
  }

  /** Makes the active segment durable; earlier segments were synced when they were sealed. */
  synchronized void sync(Supplier<Segment> active) throws IOException {
    requireWhole();
    Segment segment = active.get();
    long end = segment.end();
    try {
      segment.sync();
    } catch (IOException | RuntimeException | Error e) {
      fail();
      throw e;
    }
    offset = Math.max(offset, end);
  }
}
