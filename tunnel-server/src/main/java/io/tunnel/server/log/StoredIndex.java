package io.tunnel.server.log;

import io.tunnel.codec.Checksum;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * The index of a partition in a sealed segment, read where it is stored.
 *
 * <p>An index file: {@code u64} magic, {@code i64} base offset of its segment, {@code i64} bytes of
 * the segment that it covers, {@code u32} partitions, {@code u32} zero; for each partition {@code
 * u32} id, {@code u32} batches, {@code i64} last position, {@code u32} bytes of its batches, {@code
 * u32} offset of its entries in this file; then the entries, each {@code i64} first position,
 * {@code u32} offset in the segment, {@code u32} bytes before; last {@code u32} crc32c of
 * everything before.
 */
final class StoredIndex extends BatchIndex {

  private static final int HEADER_BYTES = 32;
  private static final int PARTITION_BYTES = 24;
  private static final int ENTRY_BYTES = 16;

  private final ByteBuffer file;
  private final int count;
  private final long lastPosition;
  private final int bytes;
  private final int entriesOffset;

  private StoredIndex(ByteBuffer file, int at) {
    this.file = file;
    this.count = file.getInt(at + 4);
    this.lastPosition = file.getLong(at + 8);
    this.bytes = file.getInt(at + 16);
    this.entriesOffset = file.getInt(at + 20);
  }

  /** What an index file covers and holds. */
  record Contents(long segmentBytes, Map<Integer, StoredIndex> partitions) {}

  /**
   * Reads an index file; null when it is not a whole and intact index of the segment at {@code
   * base}.
   */
  static Contents read(ByteBuffer file, long base) {
    int size = file.limit();
    if (size < HEADER_BYTES + 4
        || file.getLong(0) != LogFormat.INDEX_MAGIC
        || file.getLong(8) != base
        || file.getInt(size - 4) != LogFormat.crc(file.slice(0, size - 4))) {
      return null;
    }
    Map<Integer, StoredIndex> partitions = new TreeMap<>();
    int partitionCount = file.getInt(24);
    for (int i = 0; i < partitionCount; i++) {
      int at = HEADER_BYTES + i * PARTITION_BYTES;
      partitions.put(file.getInt(at), new StoredIndex(file, at));
    }
    return new Contents(file.getLong(16), partitions);
  }

  /** The index file of a segment. */
  static ByteBuffer write(
      long base, long segmentBytes, Map<Integer, ? extends BatchIndex> partitions) {
    long entries = 0;
    for (BatchIndex index : partitions.values()) {
      entries += index.count();
    }
    int entriesFrom = HEADER_BYTES + partitions.size() * PARTITION_BYTES;
    ByteBuffer file = ByteBuffer.allocate(Math.toIntExact(entriesFrom + entries * ENTRY_BYTES + 4));
    file.putLong(LogFormat.INDEX_MAGIC).putLong(base).putLong(segmentBytes);
    file.putInt(partitions.size()).putInt(0);
    int at = entriesFrom;
    for (Map.Entry<Integer, ? extends BatchIndex> partition : partitions.entrySet()) {
      BatchIndex index = partition.getValue();
      int count = index.count();
      file.putInt(partition.getKey()).putInt(count).putLong(index.lastPosition(count));
      file.putInt(index.bytesOf(count)).putInt(at);
      at += count * ENTRY_BYTES;
    }
    for (BatchIndex index : partitions.values()) {
      int count = index.count();
      for (int i = 0; i < count; i++) {
        file.putLong(index.firstPosition(i))
            .putInt(index.fileOffset(i))
            .putInt(index.bytesBefore(i));
      }
    }
    file.putInt(Checksum.crc32c(file.array(), 0, file.position()));
    return file.flip();
  }

  /** A copy that can grow. */
  GrowingIndex grow() {
    GrowingIndex grown = new GrowingIndex();
    for (int i = 0; i < count; i++) {
      grown.add(firstPosition(i), lastPosition(i + 1), fileOffset(i), batchBytes(i, count));
    }
    return grown;
  }

  @Override
  int count() {
    return count;
  }

  @Override
  long firstPosition(int i) {
    return file.getLong(entriesOffset + i * ENTRY_BYTES);
  }

  @Override
  int fileOffset(int i) {
    return file.getInt(entriesOffset + i * ENTRY_BYTES + 8);
  }

  @Override
  int bytesBefore(int i) {
    return file.getInt(entriesOffset + i * ENTRY_BYTES + 12);
  }

  @Override
  int bytesOf(int count) {
    return count == this.count ? bytes : bytesBefore(count);
  }

  @Override
  long lastPosition(int count) {
    return count == this.count ? lastPosition : firstPosition(count) - 1;
  }
}
