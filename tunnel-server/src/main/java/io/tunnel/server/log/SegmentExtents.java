package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.LostHistory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Batches of one partition in segments of a log, by where they stand, in order. */
final class SegmentExtents implements Extents {

  /**
   * Batches with gaps up to this size are read together: a system call costs more than reading the
   * gap.
   */
  private static final int GAP_BYTES_MAX = 4 * 1024;

  /** Many small batches with gaps between must not become one large read into memory. */
  private static final int SPAN_BYTES_MAX = 1024 * 1024;

  private final int partition;
  private final List<Extent> extents = new ArrayList<>();
  private int bytes;
  private long lastPosition;

  private record Extent(
      Segment segment, int offset, int bytes, long firstPosition, long lastPosition) {
    int end() {
      return offset + bytes;
    }
  }

  SegmentExtents(int partition) {
    this.partition = partition;
  }

  /** Adds batch {@code i} of the first {@code count} of {@code index}. */
  void add(Segment segment, BatchIndex index, int i, int count) {
    add(
        new Extent(
            segment,
            index.fileOffset(i),
            index.batchBytes(i, count),
            index.firstPosition(i),
            index.lastPosition(i + 1)));
  }

  private void add(Extent extent) {
    extents.add(extent);
    bytes += extent.bytes();
    lastPosition = extent.lastPosition();
  }

  @Override
  public boolean isEmpty() {
    return extents.isEmpty();
  }

  @Override
  public SegmentExtents upTo(long position) {
    if (lastPosition <= position) {
      return this;
    }
    SegmentExtents front = new SegmentExtents(partition);
    for (Extent extent : extents) {
      if (extent.lastPosition() > position) {
        break;
      }
      front.add(extent);
    }
    return front;
  }

  @Override
  public int bytes() {
    return bytes;
  }

  @Override
  public long firstPosition() {
    return extents.get(0).firstPosition();
  }

  @Override
  public long lastPosition() {
    return lastPosition;
  }

  /** Commit time of the first batch, in microseconds since 1970. */
  long commitMicros() throws IOException {
    Extent first = extents.get(0);
    return first.segment().commitMicrosAt(first.offset());
  }

  @Override
  public void read(ByteBuffer target) throws IOException {
    int first = 0;
    while (first < extents.size()) {
      int end = first + 1;
      while (end < extents.size() && isNear(first, end)) {
        end++;
      }
      try {
        readRun(target, first, end);
      } catch (SegmentDroppedException e) {
        throw new LostHistory(partition, extents.get(first).firstPosition(), lastPosition)
            .refusal();
      }
      first = end;
    }
  }

  /** Whether extent {@code next} is read with the run that starts at {@code first}. */
  private boolean isNear(int first, int next) {
    Extent before = extents.get(next - 1);
    Extent after = extents.get(next);
    return before.segment() == after.segment()
        && after.offset() - before.end() <= GAP_BYTES_MAX
        && after.end() - extents.get(first).offset() <= SPAN_BYTES_MAX;
  }

  /** Reads extents {@code [first, end)}, whose gaps are small. */
  private void readRun(ByteBuffer target, int first, int end) throws IOException {
    Extent start = extents.get(first);
    if (end == first + 1) {
      ByteBuffer slice = target.slice(target.position(), start.bytes());
      start.segment().read(slice, start.offset());
      verify(slice.flip(), start);
      target.position(target.position() + start.bytes());
      return;
    }
    int spanBytes = extents.get(end - 1).end() - start.offset();
    ByteBuffer span = ByteBuffer.allocate(spanBytes);
    start.segment().read(span, start.offset());
    for (int i = first; i < end; i++) {
      Extent extent = extents.get(i);
      ByteBuffer batch = span.slice(extent.offset() - start.offset(), extent.bytes());
      verify(batch, extent);
      target.put(batch.rewind());
    }
  }

  private static void verify(ByteBuffer batch, Extent extent) {
    if (!ChangeBatch.isIntact(batch)) {
      throw new RefusedException(
          ErrorCode.CORRUPT,
          "the log is damaged at offset "
              + (extent.segment().base() + extent.offset())
              + ": a batch of "
              + extent.bytes()
              + " bytes does not match its checksum");
    }
  }
}
