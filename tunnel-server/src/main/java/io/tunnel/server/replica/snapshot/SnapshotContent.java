package io.tunnel.server.replica.snapshot;

import io.tunnel.codec.MalformedException;

/**
 * The blocks of a snapshot, in the log of blocks. A reader takes a block by its number and the
 * snapshot's id, never by its offset alone.
 *
 * @param firstOffset no block of the snapshot is before
 * @param count of the blocks
 * @param rows of all blocks
 * @param bytes of all blocks
 * @param crc32c of the checksums of the blocks, in the order of their numbers
 */
public record SnapshotContent(long firstOffset, int count, long rows, long bytes, int crc32c) {

  /** Refuses what no leader writes. */
  public SnapshotContent {
    require(
        firstOffset >= 0 && count >= 0 && rows >= 0 && bytes >= 0,
        "blocks of a snapshot with a number below 0: "
            + count
            + " from offset "
            + firstOffset
            + " with "
            + rows
            + " rows and "
            + bytes
            + " bytes");
    require(count > 0 || (rows == 0 && bytes == 0), "no blocks with " + rows + " rows");
  }

  private static void require(boolean isRight, String message) {
    if (!isRight) {
      throw new MalformedException(message);
    }
  }
}
