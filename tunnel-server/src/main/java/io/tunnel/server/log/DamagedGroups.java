package io.tunnel.server.log;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What of a segment is intact, and the bytes that make groups of the rest again. In a group that is
 * damaged, or several whose headers are, the batches count that stand in front of the damage, and
 * those behind the damage that reach to the end without a break: a batch that only looks like one,
 * in the value of some row, does not reach there. A filler takes the place of what is between: a
 * batch of no partition without rows. It has 40 bytes at least, and so has whatever was damaged,
 * but for the 32 of a lone header, which is written again.
 */
final class DamagedGroups {

  /** Of a filler; a group is read as a whole. */
  private static final int FILLER_BYTES_MAX = 4 << 20;

  private static final int WINDOW_BYTES = 64 << 10;
  private static final int HEADER = LogFormat.GROUP_HEADER_BYTES;

  private final Segment segment;
  private final LogIdentity identity;
  private final boolean isLast;
  private final long durable;
  private final long cut;
  private final List<Patch> patches = new ArrayList<>();
  private long at = LogFormat.SEGMENT_HEADER_BYTES;
  private long synced;
  private long micros;

  /**
   * A segment to look at.
   *
   * @param durable bytes that were durable for certain, also where the file has fewer
   * @param cut where a group has to begin, if that is in the segment: the rows are folded up to
   *     there
   */
  DamagedGroups(Segment segment, LogIdentity identity, boolean isLast, long durable, long cut) {
    this.segment = segment;
    this.identity = identity;
    this.isLast = isLast;
    this.durable = durable;
    this.cut = cut;
  }

  /** Bytes to be written to the segment's file at {@code offset}. */
  record Patch(long offset, ByteBuffer bytes) {}

  /** A batch that stands in the region, with where. */
  private record Found(int offset, int bytes, int end) {}

  List<Patch> patches() {
    return patches;
  }

  /** Bytes of the file when it is mended. */
  long end() {
    return Math.max(at, segment.size());
  }

  /** Gives {@code visitor} each intact batch in order, and makes the patches. */
  void walk(SegmentScan.Visitor visitor) throws IOException {
    requireHeader();
    long limit = Math.max(segment.size(), durable);
    while (at < limit) {
      SegmentScan scan = new SegmentScan(segment, at);
      while (scan.next((batch, offset) -> take(visitor, batch, offset))) {
        synced = Math.max(synced, scan.syncedUpTo());
      }
      at = scan.offset();
      if (at < limit) {
        if (isLast && at >= durable && isTorn(scan)) {
          return;
        }
        mend(visitor, regionEnd(scan, limit));
      }
    }
  }

  private void take(SegmentScan.Visitor visitor, ChangeBatch batch, int offset) throws IOException {
    micros = Math.max(micros, batch.commitMicros());
    visitor.batch(batch, offset);
  }

  /** Damage in the header is mended; the header of another file is not. */
  private void requireHeader() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER_BYTES);
    if (segment.size() < header.capacity()) {
      if (!isLast || durable > 0) {
        throw new IOException(name() + " has no bytes any more: restore that first");
      }
      at = segment.size();
      return;
    }
    segment.read(header, 0);
    header.rewind();
    boolean isUnborn =
        isLast
            && segment.size() == header.capacity()
            && header.equals(ByteBuffer.allocate(header.capacity()));
    if (identity.owns(header, segment.base()) || isUnborn) {
      return;
    }
    int crc = Checksum.crc32c(header.array(), 0, LogFormat.SEGMENT_HEADER_BYTES - 4);
    if (header.getInt(LogFormat.SEGMENT_HEADER_BYTES - 4) == crc) {
      throw new IOException(name() + " is not of this log: restore that first");
    }
    patches.add(new Patch(0, identity.segmentHeader(segment.base())));
  }

  private String name() {
    return LogFormat.segmentName(segment.base());
  }

  private static boolean isTorn(SegmentScan scan) throws IOException {
    try {
      scan.requireTorn();
      return true;
    } catch (CorruptLogException corrupt) {
      return false;
    }
  }

  /** Where the next group begins whose header is intact. */
  private long regionEnd(SegmentScan scan, long limit) throws IOException {
    byte[] header = scan.readHeader(at);
    if (header != null) {
      long end = at + HEADER + Binary.getInt(header, 24);
      if (Binary.getInt(header, 24) > 0 && end <= limit) {
        return end;
      }
    }
    for (long next = scan.nextMagic(at + 1); next >= 0; next = scan.nextMagic(next + 1)) {
      if (scan.readHeader(next) != null) {
        return next;
      }
    }
    return limit;
  }

  private void mend(SegmentScan.Visitor visitor, long end) throws IOException {
    if (end - at < HEADER + ChangeBatch.HEADER_BYTES_MIN) {
      throw new IOException(
          name()
              + " cannot be mended at byte "
              + at
              + ": no group is so short; restore that first");
    }
    long there = Math.min(end, segment.size());
    List<Found> before = batches(at + HEADER, there);
    long holeFrom = before.isEmpty() ? at + HEADER : before.get(before.size() - 1).end();
    List<Found> behind = there < end ? List.of() : behind(holeFrom, end, !before.isEmpty());
    long holeEnd = behind.isEmpty() ? end : behind.get(0).offset();
    for (Found found : before) {
      visit(visitor, found);
    }
    write(before, behind, holeFrom, holeEnd, end);
    for (Found found : behind) {
      visit(visitor, found);
    }
    at = end;
  }

  /** A filler of an earlier mend is a batch like others, and tells nobody anything. */
  private void visit(SegmentScan.Visitor visitor, Found found) throws IOException {
    ChangeBatch batch = intact(found.offset(), found.end());
    if (batch != null && batch.partition() != LogFormat.FILLER_PARTITION) {
      take(visitor, batch, found.offset());
    }
  }

  /** The intact batches that stand behind each other from {@code from} on. */
  private List<Found> batches(long from, long end) throws IOException {
    List<Found> found = new ArrayList<>();
    long next = from;
    for (ChangeBatch batch = intact(next, end); batch != null; batch = intact(next, end)) {
      long behind = next + batch.byteCount();
      found.add(new Found((int) next, batch.byteCount(), (int) behind));
      next = behind;
    }
    return found;
  }

  /** The first batches behind {@code from} that reach to {@code end} without a break. */
  private List<Found> behind(long from, long end, boolean hasBefore) throws IOException {
    byte[] window = new byte[WINDOW_BYTES];
    long start = from;
    while (end - start >= ChangeBatch.HEADER_BYTES_MIN) {
      int count = (int) Math.min(window.length, end - start);
      segment.read(ByteBuffer.wrap(window, 0, count), start);
      int last = count - ChangeBatch.HEADER_BYTES_MIN;
      for (int i = 0; i <= last; i++) {
        // Format and attributes of a batch, so that few checksums are made in vain.
        if (window[i + 8] == 1 && window[i + 9] == 0) {
          List<Found> found = batches(start + i, end);
          boolean reaches = !found.isEmpty() && found.get(found.size() - 1).end() == end;
          if (reaches) {
            long hole = start + i - from;
            boolean isFillable =
                hole >= ChangeBatch.HEADER_BYTES_MIN || (hole == HEADER && hasBefore);
            return isFillable ? found : found.subList(1, found.size());
          }
        }
      }
      start += last + 1;
    }
    return List.of();
  }

  private ChangeBatch intact(long offset, long end) throws IOException {
    byte[] length = new byte[4];
    if (end - offset < ChangeBatch.HEADER_BYTES_MIN) {
      return null;
    }
    segment.read(ByteBuffer.wrap(length), offset);
    try {
      int bytes = ChangeBatch.sizeAt(length, 0, length.length);
      if (bytes > end - offset) {
        return null;
      }
      byte[] batch = new byte[bytes];
      segment.read(ByteBuffer.wrap(batch), offset);
      return ChangeBatch.parse(batch, 0, bytes);
    } catch (MalformedException e) {
      return null;
    }
  }

  /** Groups of {@code before}, fillers, and {@code behind}. */
  private void write(
      List<Found> before, List<Found> behind, long holeFrom, long holeEnd, long end) {
    TreeSet<Long> starts = new TreeSet<>(List.of(at));
    long middle = holeFrom;
    if (holeEnd - holeFrom == HEADER) {
      starts.add(holeFrom);
    } else if (mustCut(holeFrom, holeEnd)) {
      starts.add(cut);
      middle = cut + HEADER;
      split(starts, holeFrom, cut);
    }
    split(starts, middle, holeEnd);
    for (long start : starts) {
      Long next = starts.higher(start);
      long groupEnd = next == null ? end : next;
      long fillFrom = Math.max(holeFrom, start + HEADER);
      long fillEnd = Math.min(holeEnd, groupEnd);
      int batches = start == at ? before.size() : 0;
      if (fillEnd > fillFrom) {
        patches.add(new Patch(fillFrom, filler((int) (fillEnd - fillFrom))));
        batches++;
      }
      batches += next == null ? behind.size() : 0;
      patches.add(new Patch(start, header((int) (groupEnd - start - HEADER), batches)));
    }
  }

  /** Whether a group can, and has to, begin where the rows end. */
  private boolean mustCut(long holeFrom, long holeEnd) {
    long left = cut - holeFrom;
    long right = holeEnd - cut - HEADER;
    return (left == 0 || left >= ChangeBatch.HEADER_BYTES_MIN)
        && (right == 0 || right >= ChangeBatch.HEADER_BYTES_MIN);
  }

  private static void split(SortedSet<Long> starts, long from, long end) {
    int bytesMin = HEADER + ChangeBatch.HEADER_BYTES_MIN;
    for (long next = from + FILLER_BYTES_MAX; end - next >= bytesMin; next += FILLER_BYTES_MAX) {
      starts.add(next);
    }
  }

  private ByteBuffer header(int bytes, int batches) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putInt(LogFormat.GROUP_MAGIC).putInt(0).putLong(synced).putLong(micros);
    header.putInt(bytes).putInt(batches);
    header.putInt(4, Checksum.crc32c(header.array(), 8, HEADER - 8));
    return header.flip();
  }

  private ByteBuffer filler(int bytes) {
    ByteBuffer filler = ByteBuffer.allocate(bytes);
    filler.putInt(bytes - 4).putInt(0).put((byte) 1).put((byte) 0).putShort((short) 0);
    filler.putInt(LogFormat.FILLER_PARTITION).putLong(0).putLong(micros).putInt(0).putInt(0);
    filler.putInt(4, Checksum.crc32c(filler.array(), 8, bytes - 8));
    return filler.rewind();
  }
}
