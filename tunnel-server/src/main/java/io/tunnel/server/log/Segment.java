package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One file of a log and the index of what stands in it. Written by the log's owner, read by
 * anybody.
 */
final class Segment implements Closeable {

  private final long base;
  private final Disk.File file;
  private final Map<Integer, BatchIndex> index = new ConcurrentHashMap<>();
  private volatile long size;

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

  /** Offset in the log behind its last byte. */
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

  void sync() throws IOException {
    file.sync();
  }

  void read(ByteBuffer target, long offset) throws IOException {
    file.read(target, offset);
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

  /** Cuts off what stands behind {@code newSize}. */
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
