package io.tunnel.server.log;

import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Pattern;

/**
 * Brings the files of a log back into memory.
 *
 * <p>A sealed segment has an index file, or is scanned to get one; it must be intact to its last
 * byte. The last segment may have an index of its first part, from a graceful stop; the rest is
 * scanned, and a torn end is cut off.
 *
 * <p>What is found after the last byte that is known to have been synced need not be on the disk:
 * when the system fails to write a page, it says so once and keeps the page as if it were written.
 * A sync of the new process would have nothing to do. So these bytes are written again before they
 * count as durable. A crash meanwhile changes nothing: what is written is what was read.
 */
final class LogRecovery {

  /** As {@link LogFormat#segmentName} writes it; other files are not the log's. */
  private static final Pattern FILE_NAME = Pattern.compile("[0-9]{20}\\.(log|index)");

  private final Disk disk;
  private final LogIdentity identity;

  LogRecovery(Disk disk, LogIdentity identity) {
    this.disk = disk;
    this.identity = identity;
  }

  /**
   * What was found.
   *
   * @param newestMicros no change was committed later, be it kept or not
   * @param lastMicros by partition, the commit time of its last change that is kept
   */
  record Recovered(
      NavigableMap<Long, Segment> segments,
      long newestMicros,
      Map<Integer, Long> lastMicros,
      TrimFile trimmed) {

    /** What is known of each partition that the log has, or had, changes of. */
    Map<Integer, PartitionLog> partitions() {
      Map<Integer, PartitionLog> partitions = new ConcurrentHashMap<>();
      trimmed.positions().forEach((id, position) -> of(partitions, id).startBehind(position));
      for (Segment segment : segments.values()) {
        segment.index().keySet().stream()
            .filter(id -> trimmed.counts(id, segment.base()))
            .forEach(id -> of(partitions, id).register(segment));
      }
      trimmed.lost().forEach(range -> of(partitions, range.partition()).lose(range));
      partitions.forEach(
          (id, log) -> log.lastMicros = lastMicros.getOrDefault(id, trimmed.newestMicros()));
      return partitions;
    }

    private static PartitionLog of(Map<Integer, PartitionLog> partitions, int id) {
      return partitions.computeIfAbsent(id, PartitionLog::new);
    }
  }

  Recovered recover() throws IOException {
    NavigableMap<Long, Segment> segments = new ConcurrentSkipListMap<>();
    try {
      TrimFile trimmed = trimFile();
      openAll(segments, trimmed);
      Map<Integer, Long> last = lastMicros(segments);
      long newest =
          last.values().stream()
              .mapToLong(Long::longValue)
              .reduce(trimmed.newestMicros(), Math::max);
      deleteLeftovers(trimmed);
      return new Recovered(segments, newest, last, trimmed);
    } catch (IOException | RuntimeException e) {
      close(segments.values(), e);
      throw e;
    }
  }

  private static void close(Collection<Segment> segments, Exception failure) {
    for (Segment segment : segments) {
      try {
        segment.close();
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
  }

  private TrimFile trimFile() throws IOException {
    if (!disk.list().contains(LogFormat.TRIM_NAME)) {
      return TrimFile.NOTHING;
    }
    TrimFile trimmed = TrimFile.read(disk.readOnly(LogFormat.TRIM_NAME));
    if (trimmed == null) {
      throw new CorruptLogException(
          "file "
              + LogFormat.TRIM_NAME
              + ", which says what the log trimmed, is damaged; restore it from a copy");
    }
    return trimmed;
  }

  private void openAll(NavigableMap<Long, Segment> segments, TrimFile trimmed) throws IOException {
    List<Long> bases = bases(LogFormat.SEGMENT_SUFFIX);
    bases.removeIf(trimmed::isGap);
    if (bases.isEmpty() && trimmed.equals(TrimFile.NOTHING)) {
      bases.add(0L);
    }
    long end = 0;
    for (int i = 0; i < bases.size(); i++) {
      long base = bases.get(i);
      requireNoGap(segments, trimmed, end, base);
      Disk.File file = disk.open(LogFormat.segmentName(base));
      Segment segment = new Segment(base, file, file.size());
      segments.put(base, segment);
      recover(segment, i + 1 == bases.size());
      end = segment.end();
    }
    if (end < trimmed.wholeFrom() || segments.isEmpty()) {
      // What is deleted is never the last segment.
      requireNoGap(segments, trimmed, end, Long.MAX_VALUE);
    }
  }

  /** Requires that every gap between segments is a deleted range. */
  private static void requireNoGap(
      NavigableMap<Long, Segment> segments, TrimFile trimmed, long end, long next)
      throws IOException {
    if (trimmed.follows(next, end)) {
      return;
    }
    throw new CorruptLogException(
        "the log has a gap: "
            + (segments.isEmpty()
                ? "it begins at offset 0"
                : "file " + LogFormat.segmentName(segments.lastKey()) + " ends at offset " + end)
            + ", the next "
            + (next == Long.MAX_VALUE ? "is missing" : "starts at " + next));
  }

  /** A crash may leave files that the trim file has as deleted. */
  private void deleteLeftovers(TrimFile trimmed) throws IOException {
    for (String suffix : List.of(LogFormat.SEGMENT_SUFFIX, LogFormat.INDEX_SUFFIX)) {
      for (long base : bases(suffix)) {
        if (trimmed.isGap(base)) {
          disk.delete(String.format(Locale.ROOT, "%020d%s", base, suffix));
        }
      }
    }
  }

  /**
   * By partition, the commit time of its last change. The newest of these batches is verified: all
   * later changes of its partition are dated at or after it.
   */
  private static Map<Integer, Long> lastMicros(NavigableMap<Long, Segment> segments)
      throws IOException {
    Map<Integer, Long> last = new HashMap<>();
    long newest = 0;
    SegmentExtents newestBatch = new SegmentExtents(0);
    long newestBase = 0;
    for (Segment segment : segments.descendingMap().values()) {
      for (Map.Entry<Integer, BatchIndex> entry : segment.index().entrySet()) {
        if (last.containsKey(entry.getKey())) {
          continue;
        }
        int count = entry.getValue().count();
        SegmentExtents batch = new SegmentExtents(0);
        batch.add(segment, entry.getValue(), count - 1, count);
        last.put(entry.getKey(), batch.commitMicros());
        if (batch.commitMicros() > newest) {
          newest = batch.commitMicros();
          newestBatch = batch;
          newestBase = segment.base();
        }
      }
    }
    if (newest > 0) {
      requireIntact(newestBatch, newestBase);
    }
    return last;
  }

  private static void requireIntact(SegmentExtents batch, long base) throws IOException {
    try {
      batch.read(ByteBuffer.allocate(batch.bytes()));
    } catch (RefusedException e) {
      throw new CorruptLogException("file " + LogFormat.segmentName(base) + ": " + e.getMessage());
    }
  }

  /** The offsets that files of a kind are named after. */
  private List<Long> bases(String suffix) throws IOException {
    List<Long> bases = new ArrayList<>();
    for (String name : disk.list()) {
      if (FILE_NAME.matcher(name).matches() && name.endsWith(suffix)) {
        bases.add(Long.parseLong(name.substring(0, name.indexOf('.'))));
      }
    }
    bases.sort(null);
    return bases;
  }

  private void recover(Segment segment, boolean isLast) throws IOException {
    StoredIndex.Contents stored = storedIndex(segment);
    long synced = 0;
    if (isLast && isUnborn(segment)) {
      // The machine went down while the file was being made; nothing was ever in it.
      segment.truncate(0);
      segment.append(identity.segmentHeader(segment.base()));
    } else {
      requireHeader(segment);
      synced = scan(segment, loadIndex(segment, stored, isLast), isLast);
    }
    if (isLast) {
      segment.rewrite(synced);
      segment.sync();
      disk.syncNames();
    }
  }

  /** Whether the file's header was not written, and so nothing after it either. */
  private static boolean isUnborn(Segment segment) throws IOException {
    if (segment.size() > LogFormat.SEGMENT_HEADER_BYTES) {
      return false;
    }
    byte[] header = new byte[LogFormat.SEGMENT_HEADER_BYTES];
    segment.read(ByteBuffer.wrap(header, 0, (int) segment.size()), 0);
    return segment.size() < header.length
        || Arrays.equals(header, new byte[LogFormat.SEGMENT_HEADER_BYTES]);
  }

  private void requireHeader(Segment segment) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER_BYTES);
    if (segment.size() >= LogFormat.SEGMENT_HEADER_BYTES) {
      segment.read(header, 0);
    }
    if (identity.isOfAnotherOrigin(header.rewind(), segment.base())) {
      throw new CorruptLogException(
          "file "
              + LogFormat.segmentName(segment.base())
              + " was written under another catalog: log and catalog do not belong together."
              + " Nothing was changed; restore both from one backup");
    }
    if (!identity.owns(header, segment.base())) {
      throw new CorruptLogException(
          "file "
              + LogFormat.segmentName(segment.base())
              + " does not begin as the segment of shard "
              + identity.shard()
              + " at its offset");
    }
  }

  /** The segment's stored index; null when there is no intact one. */
  private StoredIndex.Contents storedIndex(Segment segment) throws IOException {
    String name = LogFormat.indexName(segment.base());
    if (!disk.list().contains(name)) {
      return null;
    }
    StoredIndex.Contents stored = StoredIndex.read(disk.readOnly(name), segment.base());
    if (stored != null && stored.segmentBytes() > segment.size()) {
      throw new CorruptLogException(
          "file "
              + LogFormat.segmentName(segment.base())
              + " has "
              + segment.size()
              + " bytes, but "
              + stored.segmentBytes()
              + " were durable when its index was stored; restore the file from a copy");
    }
    return stored;
  }

  /** Takes over the stored index, if it serves; returns the bytes of the segment that it covers. */
  private static long loadIndex(Segment segment, StoredIndex.Contents stored, boolean isLast)
      throws IOException {
    if (stored == null || (!isLast && stored.segmentBytes() != segment.size())) {
      return LogFormat.SEGMENT_HEADER_BYTES;
    }
    segment.load(stored, isLast);
    return stored.segmentBytes();
  }

  /**
   * Adds what stands from {@code from} on to the index.
   *
   * @return byte of the file before which everything was synced by the process that wrote it
   */
  private long scan(Segment segment, long from, boolean isLast) throws IOException {
    SegmentScan scan = new SegmentScan(segment, from);
    while (scan.next(segment::add)) {
      // Each step has done its work in the visitor.
    }
    // An index is stored when what it covers has been synced.
    long indexed = from > LogFormat.SEGMENT_HEADER_BYTES ? from : 0;
    long synced = Math.max(indexed, scan.syncedUpTo() - segment.base());
    if (scan.offset() == segment.size()) {
      return synced;
    }
    scan.requireTorn();
    if (!isLast) {
      throw new CorruptLogException(
          "file " + LogFormat.segmentName(segment.base()) + " is damaged at byte " + scan.offset());
    }
    segment.truncate(scan.offset());
    return synced;
  }
}
