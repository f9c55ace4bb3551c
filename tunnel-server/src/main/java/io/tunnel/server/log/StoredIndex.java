package io.tunnel.server.log;

import io.tunnel.codec.Checksum;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
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
 *
 * <p>Where positions have gaps or commit times fall, the index is a loose one, with another magic:
 * {@code i64} oldest and {@code i64} newest commit time follow the header, and each entry has in
 * addition {@code u32} positions from the first to the last of its batch.
 */
final class StoredIndex extends BatchIndex {

  private static final int HEADER_BYTES = 32;
  private static final int PARTITION_BYTES = 24;
  private static final int ENTRY_BYTES = 16;
  private static final int LOOSE_ENTRY_BYTES = 20;
  private static final int TIMES_BYTES = 16;

  private final ByteBuffer file;
  private final int count;
  private final long lastPosition;
  private final int bytes;
  private final int entriesOffset;
  private final int entryBytes;

  private StoredIndex(ByteBuffer file, int at, int entryBytes) {
    this.entryBytes = entryBytes;
    this.file = file;
    this.count = file.getInt(at + 4);
    this.lastPosition = file.getLong(at + 8);
    this.bytes = file.getInt(at + 16);
    this.entriesOffset = file.getInt(at + 20);
  }

  /** What an index file covers and holds; times only where they fall or positions have gaps. */
  record Contents(long segmentBytes, Optional<Times> times, Map<Integer, StoredIndex> partitions) {}

  /** No batch was committed before the one or after the other. */
  record Times(long oldestMicros, long newestMicros) {}

  /**
   * Reads an index file; null when it is not a complete and intact index of the segment at {@code
   * base}.
   */
  static Contents read(ByteBuffer file, long base) {
    int size = file.limit();
    boolean isLoose = size >= 8 && file.getLong(0) == LogFormat.LOOSE_INDEX_MAGIC;
    int headerBytes = HEADER_BYTES + (isLoose ? TIMES_BYTES : 0);
    if (size < headerBytes + 4
        || (!isLoose && file.getLong(0) != LogFormat.INDEX_MAGIC)
        || file.getLong(8) != base
        || file.getInt(size - 4) != LogFormat.crc(file.slice(0, size - 4))) {
      return null;
    }
    Map<Integer, StoredIndex> partitions = new TreeMap<>();
    int partitionCount = file.getInt(24);
    int entryBytes = isLoose ? LOOSE_ENTRY_BYTES : ENTRY_BYTES;
    for (int i = 0; i < partitionCount; i++) {
      int at = headerBytes + i * PARTITION_BYTES;
      partitions.put(file.getInt(at), new StoredIndex(file, at, entryBytes));
    }
    Optional<Times> times =
        isLoose
            ? Optional.of(new Times(file.getLong(HEADER_BYTES), file.getLong(HEADER_BYTES + 8)))
            : Optional.empty();
    return new Contents(file.getLong(16), times, partitions);
  }

  /** The index file of a segment. */
  static ByteBuffer write(
      long base,
      long segmentBytes,
      Optional<Times> times,
      Map<Integer, ? extends BatchIndex> partitions) {
    boolean isLoose = times.isPresent();
    int entryBytes = isLoose ? LOOSE_ENTRY_BYTES : ENTRY_BYTES;
    int headerBytes = HEADER_BYTES + (isLoose ? TIMES_BYTES : 0);
    long entries = 0;
    for (BatchIndex index : partitions.values()) {
      entries += index.count();
    }
    int entriesFrom = headerBytes + partitions.size() * PARTITION_BYTES;
    ByteBuffer file = ByteBuffer.allocate(Math.toIntExact(entriesFrom + entries * entryBytes + 4));
    file.putLong(isLoose ? LogFormat.LOOSE_INDEX_MAGIC : LogFormat.INDEX_MAGIC);
    file.putLong(base).putLong(segmentBytes).putInt(partitions.size()).putInt(0);
    times.ifPresent(t -> file.putLong(t.oldestMicros()).putLong(t.newestMicros()));
    int at = entriesFrom;
    for (Map.Entry<Integer, ? extends BatchIndex> partition : partitions.entrySet()) {
      BatchIndex index = partition.getValue();
      int count = index.count();
      file.putInt(partition.getKey()).putInt(count).putLong(index.lastPosition(count));
      file.putInt(index.bytesOf(count)).putInt(at);
      at += count * entryBytes;
    }
    for (BatchIndex index : partitions.values()) {
      int count = index.count();
      for (int i = 0; i < count; i++) {
        file.putLong(index.firstPosition(i))
            .putInt(index.fileOffset(i))
            .putInt(index.bytesBefore(i));
        if (isLoose) {
          file.putInt((int) (index.lastPosition(i + 1) - index.firstPosition(i) + 1));
        }
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
    return file.getLong(entriesOffset + i * entryBytes);
  }

  @Override
  int fileOffset(int i) {
    return file.getInt(entriesOffset + i * entryBytes + 8);
  }

  @Override
  int bytesBefore(int i) {
    return file.getInt(entriesOffset + i * entryBytes + 12);
  }

  @Override
  int bytesOf(int count) {
    return count == this.count ? bytes : bytesBefore(count);
  }

  @Override
  long lastPosition(int count) {
    if (count == this.count) {
      return lastPosition;
    }
    return entryBytes == ENTRY_BYTES
        ? firstPosition(count) - 1
        : firstPosition(count - 1)
            + file.getInt(entriesOffset + (count - 1) * entryBytes + ENTRY_BYTES)
            - 1;
  }
}
