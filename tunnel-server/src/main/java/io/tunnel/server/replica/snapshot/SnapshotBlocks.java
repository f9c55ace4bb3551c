package io.tunnel.server.replica.snapshot;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The log of blocks: for each partition one sequence, numbered by the log with rising offsets.
 * Other leaders may have left blocks there that no snapshot has, and copies of blocks.
 */
public interface SnapshotBlocks {

  /** Is told once, by any thread, what became of an append. */
  @FunctionalInterface
  interface Appended {
    /** The block is in the log at {@code offset}; without an offset, nobody knows. */
    void done(OptionalLong offset);
  }

  /** Appends a block, after the blocks that were appended to the partition before. */
  void append(int partition, Bytes block, Appended appended);

  /**
   * A block of the log.
   *
   * @param offset of the block
   */
  record Found(long offset, Bytes block) {}

  /**
   * The first block at {@code offset} or after; none when the log ends there. May wait.
   *
   * @throws IOException when the log cannot be read now
   */
  Optional<Found> read(int partition, long offset) throws IOException;
}
