package io.tunnel.server.replica.snapshot;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.table.KeyRange;
import io.tunnel.server.table.PartitionScan;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.zip.CRC32C;

/**
 * Writes a snapshot of a partition to the log of blocks, in steps of a slice each. A leader takes
 * the scan when all changes up to a position are folded, and appends the record that names the
 * snapshot when this writer is complete. An append of unknown fate ends the writer: the id is never
 * used again, so no node needs to know which blocks are in the log.
 *
 * <p>All methods are for one thread; what the log of blocks says is posted to this thread.
 */
public final class SnapshotWriter implements AutoCloseable {

  /** Blocks that may be appended and not acknowledged, of a MiB or an entry each. */
  static final int IN_FLIGHT_MAX = 4;

  /** Bytes of keys and values after which a slice ends. */
  static final int SLICE_BYTES = 256 * 1024;

  private static final int ATTEMPT_BITS = 16;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Source source;
  private final SnapshotBlocks blocks;
  private final Executor owner;
  private final Limits limits;
  private final CRC32C all = new CRC32C();

  /** Acknowledged blocks whose predecessors are not, by number, with their offsets. */
  private final TreeMap<Integer, Long> acknowledged = new TreeMap<>();

  private State state = State.WRITING;
  private String why = "";
  private OptionalLong begunNanos = OptionalLong.empty();
  private long dueNanos;
  private SnapshotBlock.Open open;

  /** Blocks that were appended. */
  private int count;

  /** Blocks that are acknowledged, as are all before; at most {@link #count}. */
  private int settled;

  private long firstOffset;
  private long lastOffset = -1;
  private long rows;
  private long entries;
  private long bytes;
  private int sliceBytes;
  private boolean isBlockFull;

  /** How far a writer is. */
  public enum State {
    /** Reads the partition. */
    WRITING,
    /** All blocks are appended. */
    SETTLING,
    /** All blocks are acknowledged. */
    COMPLETE,
    /** The owner has closed the writer, or the store is closed. */
    STOPPED,
    /** Entries of the partition cannot be read; no other snapshot of this table would be right. */
    DAMAGED,
    /** It is unknown whether a block is in the log; another snapshot may succeed. */
    NOT_STORED,
    /** RocksDB's snapshot was pinned too long; another snapshot may succeed. */
    TOO_LONG;

    private boolean isOpen() {
      return this == WRITING || this == SETTLING;
    }
  }

  /**
   * What is written.
   *
   * @param id of the snapshot; see {@link SnapshotWriter#id}
   * @param scan of the partition; the writer closes it
   */
  public record Source(int partition, long id, PartitionScan scan) {}

  /**
   * A writer that has written nothing.
   *
   * @param owner runs an action on the thread of the writer
   * @param pinnedNanosMax after which the snapshot ends
   */
  public SnapshotWriter(Source source, SnapshotBlocks blocks, Executor owner, long pinnedNanosMax) {
    this(source, blocks, owner, Limits.ofNode(pinnedNanosMax));
  }

  /** A writer that has written nothing. */
  public SnapshotWriter(Source source, SnapshotBlocks blocks, Executor owner, Limits limits) {
    this.source = source;
    this.blocks = blocks;
    this.owner = owner;
    this.limits = limits;
    this.open = new SnapshotBlock.Open(source.id(), 0, limits.blockBytesMax());
  }

  /**
   * Limits of a snapshot.
   *
   * @param pinnedNanosMax after which the snapshot ends
   * @param blockBytesMax of a block with more than one entry
   */
  public record Limits(long pinnedNanosMax, int blockBytesMax) {

    /** Blocks of a node. */
    public static Limits ofNode(long pinnedNanosMax) {
      return new Limits(pinnedNanosMax, SnapshotBlock.BYTES_MAX);
    }
  }

  /**
   * An id that no other snapshot of the partition has, and that is above those of all snapshots
   * before: a leader reads its own marker before it takes snapshots, so its offsets are above those
   * of every former leader.
   *
   * @param next the offset of the next record that the leader reads when it takes the scan
   * @param attempt counts the snapshots that the leader has begun since its marker
   */
  public static long id(long next, int attempt) {
    if (next < 0 || next >= Long.MAX_VALUE >> ATTEMPT_BITS || attempt < 1) {
      throw new IllegalArgumentException("snapshot " + attempt + " at offset " + next);
    }
    return (next << ATTEMPT_BITS) | (attempt & ((1 << ATTEMPT_BITS) - 1));
  }

  /** How far the writer is. */
  public State state() {
    return state;
  }

  /** Why the writer has ended without a snapshot; empty otherwise. */
  public String why() {
    return why;
  }

  /** Bytes of the blocks that were appended. */
  public long bytes() {
    return bytes;
  }

  /** Whether a step does nothing before the log of blocks acknowledges a block. */
  public boolean isWaiting() {
    boolean isFull = state == State.WRITING && count - settled >= IN_FLIGHT_MAX;
    return isFull || state == State.SETTLING;
  }

  /** No step does anything before this time. */
  public long dueNanos() {
    return dueNanos;
  }

  /**
   * Reads and appends a slice, unless that is not due yet or enough is in flight; then a step after
   * the next acknowledgement continues.
   *
   * @param bytesPerSecond the pace from now on
   */
  public State step(long nowNanos, long bytesPerSecond) {
    long begun = begunNanos.orElse(nowNanos);
    if (begunNanos.isEmpty()) {
      begunNanos = OptionalLong.of(nowNanos);
      dueNanos = nowNanos;
    }
    if (state.isOpen() && nowNanos - begun > limits.pinnedNanosMax()) {
      end(State.TOO_LONG, "the snapshot took longer than " + limits.pinnedNanosMax() + " ns");
    }
    if (state == State.WRITING && count - settled < IN_FLIGHT_MAX && nowNanos - dueNanos >= 0) {
      readSlice();
      dueNanos = nowNanos + (long) (sliceBytes * NANOS_PER_SECOND / bytesPerSecond);
    }
    return state;
  }

  private void readSlice() {
    sliceBytes = 0;
    isBlockFull = false;
    try {
      boolean isWhole = source.scan().run(this::take);
      if (isWhole) {
        source.scan().close();
        move(State.SETTLING, "");
        append(open.endAsLast(rows + open.rows(), entries + open.entries()));
      } else if (isBlockFull) {
        append(open.end());
        open = new SnapshotBlock.Open(source.id(), count, limits.blockBytesMax());
      }
    } catch (RefusedException e) {
      end(
          e.code() == ErrorCode.SHUTTING_DOWN ? State.STOPPED : State.DAMAGED,
          "the rows cannot be read: " + e.getMessage());
    }
  }

  private boolean take(KeyRange range, byte[] key, int keyOffset, byte[] value) {
    if (sliceBytes >= SLICE_BYTES) {
      return false;
    }
    isBlockFull = !open.add(range, key, keyOffset, value);
    sliceBytes += isBlockFull ? 0 : key.length + value.length;
    return !isBlockFull;
  }

  private void append(Bytes block) {
    int number = count;
    count++;
    rows += open.rows();
    entries += open.entries();
    bytes += block.length();
    // The checksum of the block, without a copy of the block.
    for (int at = block.length() - Integer.BYTES; at < block.length(); at++) {
      all.update(block.at(at));
    }
    blocks.append(
        source.partition(), block, offset -> owner.execute(() -> appended(number, offset)));
  }

  private void appended(int number, OptionalLong offset) {
    if (!state.isOpen()) {
      return;
    }
    if (offset.isEmpty()) {
      end(State.NOT_STORED, "block " + number + " may not be in the log");
      return;
    }
    acknowledged.put(number, offset.getAsLong());
    while (state.isOpen() && acknowledged.containsKey(settled)) {
      settle(acknowledged.remove(settled));
    }
    if (state == State.SETTLING && settled == count) {
      move(State.COMPLETE, "");
    }
  }

  private void settle(long offset) {
    if (offset <= lastOffset) {
      end(State.NOT_STORED, "block " + settled + " is before its predecessor in the log");
      return;
    }
    firstOffset = settled == 0 ? offset : firstOffset;
    lastOffset = offset;
    settled++;
  }

  private void move(State next, String reason) {
    if (!state.isOpen()) {
      throw new IllegalStateException("a snapshot that is " + state + " becomes " + next);
    }
    state = next;
    why = reason;
  }

  private void end(State next, String reason) {
    move(next, reason);
    acknowledged.clear();
    source.scan().close();
  }

  /** The blocks for the record of the snapshot, of a writer that is complete. */
  public SnapshotContent content() {
    if (state != State.COMPLETE) {
      throw new IllegalStateException("a snapshot that is " + state + " has no content");
    }
    return new SnapshotContent(firstOffset, count, rows, bytes, (int) all.getValue());
  }

  /** Stops, and releases RocksDB's snapshot. Idempotent; a complete writer stays complete. */
  @Override
  public void close() {
    if (state.isOpen()) {
      end(State.STOPPED, "the snapshot was stopped");
    }
    source.scan().close();
  }
}
