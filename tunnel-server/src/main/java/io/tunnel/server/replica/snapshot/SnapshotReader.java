package io.tunnel.server.replica.snapshot;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.server.replica.snapshot.SnapshotDamagedException.Trouble;
import io.tunnel.server.table.KeyRange;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Reads a snapshot from the log of blocks, one block a step. A block belongs to the snapshot by the
 * snapshot's id and its number, and the checksums of all blocks together are those of the
 * snapshot's record. So blocks of a snapshot that a former leader has not ended are passed over, as
 * are copies of blocks, and damaged blocks that are not missed.
 *
 * <p>A node that only verifies a snapshot calls {@link #step} until the snapshot is complete.
 */
public final class SnapshotReader implements Closeable {

  private final SnapshotBlocks.Reading blocks;
  private final int partition;
  private final long id;
  private final SnapshotContent content;
  private final CRC32C all = new CRC32C();

  /** Of the blocks that were taken, by number. */
  private final List<Integer> checksums = new ArrayList<>();

  /** Where the next block is read. */
  private long offset;

  private long rows;
  private long entries;
  private long bytes;

  /** Why the first block after the last one that was taken could not be read. */
  private Optional<MalformedException> unreadable = Optional.empty();

  /** Of the entry before. */
  private KeyRange range = KeyRange.BOUND;

  /** The block of the entry before, with its key; empty before the first entry. */
  private byte[] before = new byte[0];

  private int beforeOffset;
  private int beforeBytes;

  /** Reads the snapshot with this id, which the record of a partition's log names. */
  public SnapshotReader(SnapshotBlocks blocks, int partition, long id, SnapshotContent content) {
    this.blocks = blocks.reading(partition);
    this.partition = partition;
    this.id = id;
    this.content = content;
    this.offset = content.firstOffset();
  }

  /**
   * Reads a block, and checks it.
   *
   * @return whether all blocks were read and are as the snapshot's record says
   * @throws SnapshotDamagedException when no node can begin with this snapshot
   * @throws NewerFormatException when a newer build wrote the snapshot; this build must be upgraded
   * @throws IOException when the log cannot be read now; call again
   */
  public boolean step() throws IOException {
    return step((entryRange, array, keyOffset, keyBytes, valueOffset, valueBytes) -> {});
  }

  /** As {@link #step()}, for a visitor of entries; entries of a step that fails may be wrong. */
  boolean step(SnapshotBlock.Visitor visitor) throws IOException {
    if (checksums.size() < content.count()) {
      Optional<SnapshotBlocks.Found> found = blocks.read(offset);
      if (found.isEmpty()) {
        throw missing("the log of blocks ends at offset " + offset);
      }
      read(found.get(), visitor);
      offset = found.get().offset() + 1;
    }
    return checksums.size() == content.count();
  }

  private void read(SnapshotBlocks.Found found, SnapshotBlock.Visitor visitor) throws IOException {
    SnapshotBlock block;
    try {
      block = SnapshotBlock.decode(found.block().toByteArray());
    } catch (MalformedException e) {
      // The block may be of another snapshot, which no reader needs.
      unreadable = unreadable.or(() -> Optional.of(e));
      return;
    }
    if (block.id() != id || isCopy(block)) {
      return;
    }
    if (block.number() > checksums.size()) {
      throw missing("block " + block.number() + " follows at offset " + found.offset());
    }
    take(block, found.offset(), visitor);
    unreadable = Optional.empty();
  }

  /** A producer that does not know the fate of a block may append it again. */
  private boolean isCopy(SnapshotBlock block) throws SnapshotDamagedException {
    if (block.number() >= checksums.size()) {
      return false;
    }
    if (checksums.get(block.number()) != block.checksum()) {
      throw new SnapshotDamagedException(
          Trouble.DOUBLED, partition, id, block.number(), "there are two blocks of this number");
    }
    return true;
  }

  private IOException missing(String why) {
    if (unreadable.isPresent() && unreadable.get() instanceof NewerFormatException) {
      throw unreadable.get();
    }
    return unreadable
        .map(e -> failed(Trouble.DAMAGED, e.getMessage()))
        .orElseGet(() -> failed(Trouble.MISSING, "the block is missing; " + why));
  }

  private SnapshotDamagedException failed(Trouble trouble, String why) {
    return new SnapshotDamagedException(trouble, partition, id, checksums.size(), why);
  }

  private void take(SnapshotBlock block, long at, SnapshotBlock.Visitor visitor)
      throws IOException {
    try {
      block.forEach(
          (entryRange, array, keyOffset, keyBytes, valueOffset, valueBytes) -> {
            requireOrder(entryRange, array, keyOffset, keyBytes);
            visitor.entry(entryRange, array, keyOffset, keyBytes, valueOffset, valueBytes);
          });
    } catch (MalformedException e) {
      throw failed(Trouble.DAMAGED, e.getMessage() + ", at offset " + at);
    }
    entries += block.entries();
    bytes += block.bytes();
    all.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, block.checksum()));
    requireCounts(block);
    checksums.add(block.checksum());
  }

  private void requireOrder(KeyRange entryRange, byte[] array, int keyOffset, int keyBytes)
      throws IOException {
    int order = entryRange.compareTo(range);
    if (order == 0 && before.length > 0) {
      order = SnapshotBlock.order(array, keyOffset, keyBytes, before, beforeOffset, beforeBytes);
    } else if (before.length == 0) {
      order = 1;
    }
    if (order <= 0) {
      throw failed(
          Trouble.MISORDERED,
          "an entry in the range " + entryRange + " is not above the one before");
    }
    range = entryRange;
    before = array;
    beforeOffset = keyOffset;
    beforeBytes = keyBytes;
    rows += entryRange == KeyRange.ROW ? 1 : 0;
  }

  private void requireCounts(SnapshotBlock block) throws IOException {
    boolean isLast = block.number() == content.count() - 1;
    boolean isRight = block.isLast() == isLast;
    if (isLast && isRight) {
      isRight =
          block.allRows() == rows
              && block.allEntries() == entries
              && content.rows() == rows
              && content.bytes() == bytes
              && content.crc32c() == (int) all.getValue();
    }
    if (!isRight) {
      throw failed(
          Trouble.MISCOUNTED,
          (block.isLast() ? "the last block" : "a block that is not the last one")
              + " after "
              + rows
              + " rows in "
              + entries
              + " entries of "
              + bytes
              + " bytes, where the snapshot's record says "
              + content);
    }
  }

  @Override
  public void close() {
    blocks.close();
  }
}
