package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One file of a log and the index of what stands in it. Written by the log's owner, read by
 * anybody.
 */
final class Segment implements Closeable {

  private static final long UNKNOWN = -1;
  private static final int REWRITTEN_BYTES = 1 << 20;

  private final long base;
  private final Disk.File file;
  private final Map<Integer, BatchIndex> index = new ConcurrentHashMap<>();
  private volatile long size;
  private volatile boolean isDropped;
  private volatile long oldestMicros = UNKNOWN;
  private volatile long newestMicros = UNKNOWN;

  /** Whether positions have gaps, or commit times fall from one batch to the next. */
  private volatile boolean isLoose;

  Segment(long base, Disk.File file, long size) {
    this.base = base;
    this.file = file;
    this.size = size;
  }

  /** Offset of its first byte in the log. */
  long base() {
    return base;
  }

  /** Bytes written to it. */
  long size() {
    return size;
  }

  /** Offset in the log after its last byte. */
  long end() {
    return base + size;
  }

  /** The partition's batches in it; null when it holds none. */
  BatchIndex index(int partition) {
    return index.get(partition);
  }

  Map<Integer, BatchIndex> index() {
    return index;
  }

  void append(ByteBuffer bytes) throws IOException {
    long end = size + bytes.remaining();
    file.write(bytes, size);
    size = end;
  }

  /** Removes what a failed write may have left after the end. */
  void cut() throws IOException {
    file.truncate(size);
  }

  /** Writes what stands at and after {@code from} once more, as it is. */
  void rewrite(long from) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(REWRITTEN_BYTES);
    for (long at = from; at < size; at += piece.limit()) {
      piece.clear().limit((int) Math.min(piece.capacity(), size - at));
      file.read(piece, at);
      file.write(piece.flip(), at);
    }
  }

  /**
   * The syncing thread may have taken hold of the segment before it was sealed, synced and dropped.
   */
  void sync() throws IOException {
    try {
      file.sync();
    } catch (ClosedChannelException e) {
      if (!isDropped) {
        throw e;
      }
    }
  }

  /**
   * Fills {@code target}.
   *
   * @throws SegmentDroppedException when the file is no longer kept
   */
  void read(ByteBuffer target, long offset) throws IOException {
    try {
      file.read(target, offset);
    } catch (ClosedChannelException e) {
      throw isDropped ? new SegmentDroppedException(base, e) : e;
    }
  }

  /** Closes the file for ever, under the hands of those who read it. */
  void drop() throws IOException {
    isDropped = true;
    file.close();
  }

  /**
   * Adds a batch of the partition that stands at {@code fileOffset} to the index; for the owner of
   * the segment that is written.
   */
  void add(ChangeBatch batch, int fileOffset) {
    add(
        batch.partition(),
        batch.basePosition(),
        batch.lastPosition(),
        fileOffset,
        batch.byteCount());
    addTime(batch.commitMicros());
  }

  void add(int partition, long firstPosition, long lastPosition, int fileOffset, int bytes) {
    GrowingIndex batches = growing(partition);
    int count = batches.count();
    if (count > 0 && batches.lastPosition(count) + 1 != firstPosition) {
      isLoose = true;
    }
    batches.add(firstPosition, lastPosition, fileOffset, bytes);
  }

  /** A batch was committed then. */
  void addTime(long micros) {
    if (oldestMicros == UNKNOWN) {
      oldestMicros = micros;
    } else if (micros < newestMicros) {
      isLoose = true;
      oldestMicros = Math.min(oldestMicros, micros);
    }
    newestMicros = Math.max(newestMicros, micros);
  }

  /** Takes over the index of its first part, and continues from there. */
  void load(StoredIndex.Contents stored, boolean grows) throws IOException {
    stored
        .partitions()
        .forEach((partition, batches) -> putIndex(partition, grows ? batches.grow() : batches));
    stored.times().ifPresent(this::loadTimes);
    if (grows && !index.isEmpty()) {
      // Before batches are added, from which on they cannot be found out any more.
      oldestMicros = oldestMicros();
      newestMicros = newestMicros();
    }
  }

  private void loadTimes(StoredIndex.Times times) {
    isLoose = true;
    oldestMicros = times.oldestMicros();
    newestMicros = times.newestMicros();
  }

  /** Its index as it is stored. */
  ByteBuffer storedIndex() throws IOException {
    Optional<StoredIndex.Times> times =
        isLoose
            ? Optional.of(new StoredIndex.Times(oldestMicros(), newestMicros()))
            : Optional.empty();
    return StoredIndex.write(base, size, times, index);
  }

  /** Stores its index, and looks things up in what was stored from now on. */
  void storeIndex(Disk disk) throws IOException {
    String name = LogFormat.indexName(base);
    disk.replace(name, storedIndex());
    StoredIndex.Contents stored = StoredIndex.read(disk.readOnly(name), base);
    if (stored == null) {
      throw new IOException("the index " + name + " reads back damaged");
    }
    stored.partitions().forEach(this::putIndex);
  }

  /** Whether no batch was written to it. */
  boolean isEmpty() {
    return size <= LogFormat.SEGMENT_HEADER_BYTES;
  }

  /**
   * A lower bound of the commit times in the segment: the commit time of the first group, unless
   * times fall; {@link Long#MIN_VALUE} if the segment is empty or damage hides the time.
   */
  long oldestMicros() throws IOException {
    if (oldestMicros == UNKNOWN) {
      if (isEmpty()) {
        return Long.MIN_VALUE;
      }
      oldestMicros = SegmentScan.commitMicrosAt(this, LogFormat.SEGMENT_HEADER_BYTES);
    }
    return oldestMicros;
  }

  /**
   * No batch in it was committed after: the commit time of its last one, unless times fall, when it
   * is written no more; {@link Long#MAX_VALUE} when damage hides it.
   */
  long newestMicros() throws IOException {
    if (newestMicros == UNKNOWN) {
      SegmentExtents last = lastBatch();
      try {
        last.read(ByteBuffer.allocate(last.bytes()));
        newestMicros = last.isEmpty() ? 0 : last.commitMicros();
      } catch (RefusedException e) {
        newestMicros = Long.MAX_VALUE;
      }
    }
    return newestMicros;
  }

  private SegmentExtents lastBatch() {
    SegmentExtents last = new SegmentExtents(0);
    int lastOffset = 0;
    for (BatchIndex batches : index.values()) {
      int count = batches.count();
      if (batches.fileOffset(count - 1) > lastOffset) {
        lastOffset = batches.fileOffset(count - 1);
        last = new SegmentExtents(0);
        last.add(this, batches, count - 1, count);
      }
    }
    return last;
  }

  /** Commit time, in microseconds since 1970, of the batch that stands at {@code offset}. */
  long commitMicrosAt(int offset) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(ChangeBatch.HEADER_BYTES_MIN);
    read(header, offset);
    return ChangeBatch.commitMicrosAt(header.array(), 0);
  }

  /** The growing index of a partition in this segment, which is the one that is written. */
  GrowingIndex growing(int partition) {
    return (GrowingIndex) index.computeIfAbsent(partition, id -> new GrowingIndex());
  }

  void putIndex(int partition, BatchIndex stored) {
    index.put(partition, stored);
  }

  /** Cuts off what stands after {@code newSize}. */
  void truncate(long newSize) throws IOException {
    file.truncate(newSize);
    file.sync();
    size = newSize;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
