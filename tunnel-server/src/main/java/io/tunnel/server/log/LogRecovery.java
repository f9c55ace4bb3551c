package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Brings the files of a log back into memory.
 *
 * <p>A sealed segment has an index file, or is scanned to get one; it must be intact to its last
 * byte. The last segment may have an index of its first part, from a graceful stop; the rest is
 * scanned, and a torn end is cut off.
 */
final class LogRecovery {

  private final Disk disk;
  private final int shard;

  LogRecovery(Disk disk, int shard) {
    this.disk = disk;
    this.shard = shard;
  }

  /** What was found. */
  record Recovered(NavigableMap<Long, Segment> segments, long lastCommitMicros) {}

  Recovered recover() throws IOException {
    NavigableMap<Long, Segment> segments = new ConcurrentSkipListMap<>();
    List<Long> bases = bases();
    for (int i = 0; i < bases.size(); i++) {
      long base = bases.get(i);
      boolean isLast = i + 1 == bases.size();
      Segment segment = open(base, isLast);
      segments.put(base, segment);
      if (!isLast && segment.end() != bases.get(i + 1)) {
        throw new CorruptLogException(
            "the log has a gap: file "
                + LogFormat.segmentName(base)
                + " ends at offset "
                + segment.end()
                + ", the next starts at "
                + bases.get(i + 1));
      }
    }
    if (segments.isEmpty()) {
      segments.put(0L, open(0, true));
    }
    return new Recovered(segments, lastCommitMicros(segments));
  }

  /** The newest commit time in the last segment that holds anything; 0 for an empty log. */
  private static long lastCommitMicros(NavigableMap<Long, Segment> segments) throws IOException {
    long newest = 0;
    for (Segment segment : segments.descendingMap().values()) {
      for (BatchIndex index : segment.index().values()) {
        ByteBuffer header = ByteBuffer.allocate(ChangeBatch.HEADER_BYTES_MIN);
        segment.read(header, index.fileOffset(index.count() - 1));
        newest = Math.max(newest, ChangeBatch.commitMicrosAt(header.array(), 0));
      }
      if (newest > 0) {
        return newest;
      }
    }
    return 0;
  }

  private List<Long> bases() throws IOException {
    List<Long> bases = new ArrayList<>();
    for (String name : disk.list()) {
      if (name.endsWith(LogFormat.SEGMENT_SUFFIX)) {
        String digits = name.substring(0, name.length() - LogFormat.SEGMENT_SUFFIX.length());
        bases.add(Long.parseLong(digits));
      }
    }
    bases.sort(null);
    return bases;
  }

  private Segment open(long base, boolean isLast) throws IOException {
    Disk.File file = disk.open(LogFormat.segmentName(base));
    Segment segment = new Segment(base, file, file.size());
    if (isLast && segment.size() < LogFormat.SEGMENT_HEADER_BYTES) {
      // The machine went down while the file was being made; nothing was ever in it.
      segment.truncate(0);
      segment.append(LogFormat.segmentHeader(base, shard));
      segment.sync();
      disk.syncNames();
      return segment;
    }
    requireHeader(segment);
    long covered = loadIndex(segment, isLast);
    scan(segment, covered, isLast);
    return segment;
  }

  private void requireHeader(Segment segment) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER_BYTES);
    if (segment.size() >= LogFormat.SEGMENT_HEADER_BYTES) {
      segment.read(header, 0);
    }
    if (!header.rewind().equals(LogFormat.segmentHeader(segment.base(), shard))) {
      throw new CorruptLogException(
          "file "
              + LogFormat.segmentName(segment.base())
              + " does not begin as the segment of shard "
              + shard
              + " at its offset");
    }
  }

  /**
   * Takes over the stored index, if there is a good one; returns the bytes of the segment that it
   * covers.
   */
  private long loadIndex(Segment segment, boolean isLast) throws IOException {
    String name = LogFormat.indexName(segment.base());
    if (!disk.list().contains(name)) {
      return LogFormat.SEGMENT_HEADER_BYTES;
    }
    StoredIndex.Contents stored = StoredIndex.read(disk.readOnly(name), segment.base());
    if (stored == null || stored.segmentBytes() > segment.size()) {
      return LogFormat.SEGMENT_HEADER_BYTES;
    }
    if (!isLast && stored.segmentBytes() != segment.size()) {
      return LogFormat.SEGMENT_HEADER_BYTES;
    }
    stored
        .partitions()
        .forEach((partition, index) -> segment.putIndex(partition, isLast ? index.grow() : index));
    return stored.segmentBytes();
  }

  private void scan(Segment segment, long from, boolean isLast) throws IOException {
    SegmentScan scan = new SegmentScan(segment, from);
    while (scan.next((batch, offset) -> index(segment, batch, offset))) {
      // Each step has done its work in the visitor.
    }
    if (scan.offset() == segment.size()) {
      return;
    }
    scan.requireTorn();
    if (!isLast) {
      throw new CorruptLogException(
          "file " + LogFormat.segmentName(segment.base()) + " is damaged at byte " + scan.offset());
    }
    segment.truncate(scan.offset());
  }

  private static void index(Segment segment, ChangeBatch batch, int offset) {
    segment
        .growing(batch.partition())
        .add(batch.basePosition(), batch.lastPosition(), offset, batch.byteCount());
  }
}
