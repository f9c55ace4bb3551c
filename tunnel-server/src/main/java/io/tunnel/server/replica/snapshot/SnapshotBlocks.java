package io.tunnel.server.replica.snapshot;

import io.tunnel.model.value.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * The log of blocks: for each partition one sequence, numbered by the log with rising offsets.
 * Other leaders may have left blocks there that no snapshot has, and copies of blocks.
 */
public interface SnapshotBlocks extends Closeable {

  /**
   * The first bytes of a block, which no other block of the partition begins with: its form, the id
   * of the snapshot, and the number of the block.
   */
  int NAME_BYTES = 14;

  /** Receives once, by any thread, the outcome of an append. */
  @FunctionalInterface
  interface Appended {
    /** The block is in the log at {@code offset}; without an offset, the outcome is unknown. */
    void done(OptionalLong offset);
  }

  /**
   * Appends a block, after the blocks that were appended to the partition before. Returns at once.
   */
  void append(int partition, Bytes block, Appended appended);

  /**
   * A block of the log.
   *
   * @param offset of the block
   */
  record Found(long offset, Bytes block) {}

  /** Reads blocks of one partition; for one thread at a time. */
  @FunctionalInterface
  interface Reading extends Closeable {
    /**
     * The first block at {@code offset} or after; none when the log ends there. May wait.
     *
     * @throws IOException when the log cannot be read now
     */
    Optional<Found> read(long offset) throws IOException;

    @Override
    default void close() {}
  }

  /** Begins to read blocks of a partition. A reading may hold a connection until its close. */
  Reading reading(int partition);

  /**
   * Deletes the blocks before {@code offset}, all of them or a part; a later request deletes the
   * rest.
   */
  CompletableFuture<Void> deleteBefore(int partition, long offset);
}
