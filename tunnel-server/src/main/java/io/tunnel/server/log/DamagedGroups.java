package io.tunnel.server.log;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Finds the intact batches of a segment, and makes the bytes that turn the rest into groups again.
 *
 * <p>Inside a damaged group the walk follows the batches one by one. A damaged batch costs only
 * itself: its own length leads to the next batch, or a search finds the next batch. The search
 * accepts bytes as a batch only if a complete header with known attributes and the checksum are
 * right, the positions follow those of the partition, and either the commit time is that of the
 * group or the batches from there on reach the end of the group. So a batch inside the value of a
 * row is not mistaken for a batch of the log.
 *
 * <p>A filler, a batch of no partition without rows, replaces a damaged batch. A filler has 40
 * bytes at least, as every batch has. A damaged header of a group has 32 bytes, and is written
 * again.
 */
final class DamagedGroups {

  /** Readers read a group at once. */
  private static final int FILLER_BYTES_MAX = 4 << 20;

  private static final int WINDOW_BYTES = 64 << 10;
  private static final int HEADER = LogFormat.GROUP_HEADER_BYTES;

  private final Segment segment;
  private final LogIdentity identity;
  private final boolean isLast;
  private final long durable;
  private final long cut;
  private final List<Patch> patches = new ArrayList<>();
  private final Map<Integer, Long> lastPositions = new HashMap<>();
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

  /** Bytes {@code [offset, end)} of a group: an intact batch, or damage. */
  private record Piece(long offset, long end, boolean isIntact) {
    long bytes() {
      return end - offset;
    }
  }

  /**
   * The pieces of a damaged group after the group's header.
   *
   * @param commitMicros of the group, when its header or its first batch tells
   */
  private record Pieces(List<Piece> all, long end, OptionalLong commitMicros) {}

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
        mend(visitor, pieces(scan, limit));
      }
    }
  }

  private void take(SegmentScan.Visitor visitor, ChangeBatch batch, int offset) throws IOException {
    micros = Math.max(micros, batch.commitMicros());
    lastPositions.put(batch.partition(), batch.lastPosition());
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

  /**
   * The pieces after {@link #at}, up to the end of the group or the next intact header of a group.
   */
  private Pieces pieces(SegmentScan scan, long limit) throws IOException {
    byte[] header = scan.readHeader(at);
    long told = header == null ? 0 : at + HEADER + Binary.getInt(header, 24);
    boolean isOpen = told <= at + HEADER || told > limit;
    OptionalLong commit =
        header == null ? OptionalLong.empty() : OptionalLong.of(Binary.getLong(header, 16));
    List<Piece> pieces = new ArrayList<>();
    long end = isOpen ? limit : told;
    long next = at + HEADER;
    while (next < end && !(isOpen && scan.readHeader(next) != null)) {
      ChangeBatch batch = intact(next, end);
      long pieceEnd = batch == null ? behindDamaged(next, end) : next + batch.byteCount();
      if (batch != null) {
        if (batch.rowCount() > 0) {
          lastPositions.put(batch.partition(), batch.lastPosition());
        }
        commit = commit.isPresent() ? commit : OptionalLong.of(batch.commitMicros());
      } else if (pieceEnd < 0) {
        end = isOpen ? nextGroup(scan, next, end) : end;
        isOpen = false;
        pieceEnd = nextBatch(next, end, commit);
      }
      long from = next;
      while (batch == null && isTooShort(from, pieceEnd, end) && !pieces.isEmpty()) {
        from = pieces.remove(pieces.size() - 1).offset();
      }
      pieces.add(new Piece(from, pieceEnd, batch != null));
      next = pieceEnd;
    }
    return new Pieces(pieces, next, commit);
  }

  /** Whether no filler fits at the end of the group; then the batch in front is lost, too. */
  private static boolean isTooShort(long from, long pieceEnd, long end) {
    return pieceEnd == end && pieceEnd - from < ChangeBatch.HEADER_BYTES_MIN;
  }

  /** Where the next group begins whose header is intact, or {@code limit}. */
  private long nextGroup(SegmentScan scan, long from, long limit) throws IOException {
    for (long next = scan.nextMagic(from + 1); next >= 0; next = scan.nextMagic(next + 1)) {
      if (scan.readHeader(next) != null) {
        ChangeBatch first = intact(next + HEADER, limit);
        if (first == null || isLater(first)) {
          return next;
        }
      }
    }
    return limit;
  }

  /**
   * Where a damaged batch ends, as its own length says, or a damaged header of a group; -1 when
   * nothing intact begins there.
   */
  private long behindDamaged(long offset, long end) throws IOException {
    long bytes = sizeAt(offset);
    if (bytes > 0 && isBoundary(offset + bytes, end)) {
      return offset + bytes;
    }
    boolean isFirst = offset == at + HEADER;
    return !isFirst && intact(offset + HEADER, end) != null ? offset + HEADER : -1;
  }

  private boolean isBoundary(long offset, long end) throws IOException {
    return offset == end
        || (offset < end
            && (intact(offset, end) != null
                || new SegmentScan(segment, offset).readHeader(offset) != null));
  }

  /** The first batch of the group after {@code from}, or {@code end}. */
  private long nextBatch(long from, long end, OptionalLong commitMicros) throws IOException {
    byte[] window = new byte[WINDOW_BYTES];
    Set<Long> failed = new HashSet<>();
    long there = Math.min(end, segment.size());
    long start = from + ChangeBatch.HEADER_BYTES_MIN;
    while (there - start >= ChangeBatch.HEADER_BYTES_MIN) {
      int count = (int) Math.min(window.length, there - start);
      segment.read(ByteBuffer.wrap(window, 0, count), start);
      int last = count - ChangeBatch.HEADER_BYTES_MIN;
      for (int i = 0; i <= last; i++) {
        if (ChangeBatch.isHeader(window, i)) {
          ChangeBatch batch = intact(start + i, end);
          boolean isOfGroup =
              batch != null
                  && isLater(batch)
                  && (commitMicros.equals(OptionalLong.of(batch.commitMicros()))
                      || reaches(start + i, end, failed));
          if (isOfGroup) {
            return start + i;
          }
        }
      }
      start += last + 1;
    }
    return end;
  }

  /** Whether batches from {@code from} on, damaged ones with their length, reach the end. */
  private boolean reaches(long from, long end, Set<Long> failed) throws IOException {
    List<Long> passed = new ArrayList<>();
    long next = from;
    while (next >= 0 && next < end && !failed.contains(next)) {
      passed.add(next);
      ChangeBatch batch = intact(next, end);
      next = batch == null ? behindDamaged(next, end) : next + batch.byteCount();
    }
    if (next != end) {
      failed.addAll(passed);
    }
    return next == end;
  }

  /**
   * Positions of a partition rise in a log; a copy of an earlier batch does not fit. Fillers have
   * no position, and answers have the position of rows before them.
   */
  private boolean isLater(ChangeBatch batch) {
    return batch.rowCount() == 0
        || batch.basePosition() > lastPositions.getOrDefault(batch.partition(), 0L);
  }

  private void mend(SegmentScan.Visitor visitor, Pieces pieces) throws IOException {
    if (pieces.end() - at < HEADER + ChangeBatch.HEADER_BYTES_MIN) {
      throw new IOException(
          name()
              + " cannot be mended at byte "
              + at
              + ": no group is so short; restore that first");
    }
    for (Piece piece : pieces.all()) {
      if (piece.isIntact()) {
        visit(visitor, piece);
      }
    }
    write(pieces);
    at = pieces.end();
  }

  /** Fillers of an earlier mend and answers are batches without rows. */
  private void visit(SegmentScan.Visitor visitor, Piece piece) throws IOException {
    ChangeBatch batch = intact(piece.offset(), piece.end());
    if (batch != null && batch.rowCount() > 0) {
      take(visitor, batch, (int) piece.offset());
    }
  }

  /** Bytes of the batch at {@code offset}, by its length; -1 when no batch has that length. */
  private int sizeAt(long offset) throws IOException {
    if (segment.size() - offset < 4) {
      return -1;
    }
    byte[] length = new byte[4];
    segment.read(ByteBuffer.wrap(length), offset);
    try {
      return ChangeBatch.sizeAt(length, 0, length.length);
    } catch (MalformedException e) {
      return -1;
    }
  }

  private ChangeBatch intact(long offset, long end) throws IOException {
    int bytes = sizeAt(offset);
    if (bytes < 0 || bytes > Math.min(end, segment.size()) - offset) {
      return null;
    }
    byte[] batch = new byte[bytes];
    segment.read(ByteBuffer.wrap(batch), offset);
    try {
      return ChangeBatch.parse(batch, 0, bytes);
    } catch (NewerFormatException e) {
      throw new IOException(
          name() + ": the batch at byte " + offset + " is intact: " + e.getMessage(), e);
    } catch (MalformedException e) {
      return null;
    }
  }

  /** Headers of groups, and fillers where batches were damaged. */
  private void write(Pieces pieces) {
    long commitMicros = pieces.commitMicros().orElse(micros);
    long start = at;
    int batches = 0;
    for (Piece piece : pieces.all()) {
      long from = piece.offset();
      for (long next : piece.isIntact() ? List.<Long>of() : starts(piece)) {
        batches += fill(from, next, commitMicros);
        patches.add(new Patch(start, header((int) (next - start - HEADER), batches, commitMicros)));
        start = next;
        batches = 0;
        from = next + HEADER;
      }
      batches += piece.isIntact() ? 1 : fill(from, piece.end(), commitMicros);
    }
    patches.add(
        new Patch(start, header((int) (pieces.end() - start - HEADER), batches, commitMicros)));
  }

  /** Writes a filler; returns how many batches that makes. */
  private int fill(long from, long end, long commitMicros) {
    if (from == end) {
      return 0;
    }
    patches.add(new Patch(from, filler((int) (end - from), commitMicros)));
    return 1;
  }

  /** Where groups begin inside of damage. */
  private SortedSet<Long> starts(Piece damage) {
    if (damage.bytes() == HEADER) {
      return new TreeSet<>(List.of(damage.offset()));
    }
    SortedSet<Long> starts = new TreeSet<>();
    long middle = damage.offset();
    if (mustCut(damage.offset(), damage.end())) {
      starts.add(cut);
      middle = cut + HEADER;
      split(starts, damage.offset(), cut);
    }
    split(starts, middle, damage.end());
    return starts;
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

  private ByteBuffer header(int bytes, int batches, long commitMicros) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putInt(LogFormat.GROUP_MAGIC).putInt(0).putLong(synced).putLong(commitMicros);
    header.putInt(bytes).putInt(batches);
    header.putInt(4, Checksum.crc32c(header.array(), 8, HEADER - 8));
    return header.flip();
  }

  private ByteBuffer filler(int bytes, long commitMicros) {
    ByteBuffer filler = ByteBuffer.allocate(bytes);
    filler.putInt(bytes - 4).putInt(0).put((byte) 1).put((byte) 0).putShort((short) 0);
    filler.putInt(LogFormat.FILLER_PARTITION).putLong(0).putLong(commitMicros).putInt(0).putInt(0);
    filler.putInt(4, Checksum.crc32c(filler.array(), 8, bytes - 8));
    return filler.rewind();
  }
}
