package io.tunnel.server.log;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.disk.ReadOnlyFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads every byte of a log that no server has open and reports damage, but changes nothing. After
 * damaged bytes the inspection continues at the next intact group, so one run finds all damage.
 *
 * <p>Recovery acts on damage at a start; this class only reports it. Both read groups with {@link
 * SegmentScan}, so they agree on which groups are intact.
 */
public final class LogInspection {

  private static final int WINDOW_BYTES = 64 * 1024;

  private final Path directory;
  private final LogIdentity identity;
  private final Visitor visitor;
  private final List<Finding> findings = new ArrayList<>();

  /** Last position seen by partition; batches up to where {@code trimmed} trimmed do not count. */
  private final SortedMap<Integer, Long> committed = new TreeMap<>();

  private TrimFile trimmed = TrimFile.NOTHING;
  private long end;
  private long byteCount;
  private int segmentCount;
  private long groups;

  /** What can be wrong with the files of a log. */
  public enum Trouble {
    /** The file that says which changes were trimmed cannot be read. */
    TRIMMED_DAMAGED,
    /** A file is missing. */
    GAP,
    /** A file does not begin as the segment that its name says. */
    HEADER_DAMAGED,
    /** A file is a segment of this shard in another data directory. */
    OTHER_ORIGIN,
    /** A file is shorter than its index says. */
    CUT,
    /** Bytes that were durable are not what was written. */
    DAMAGED,
    /** The end of the last file is what a crash leaves of a write. */
    TORN,
    /** Changes of a partition are missing between others. */
    CHANGES_MISSING,
    /** A segment that is written no more has no index. */
    INDEX_MISSING,
    /** An index cannot be read, or is of a part of its segment only. */
    INDEX_UNUSABLE,
    /** An index contradicts its segment. */
    INDEX_WRONG
  }

  /**
   * A fault found in the log.
   *
   * @param file the name of the faulty file
   * @param text description of the fault, for operators
   */
  public record Finding(Trouble trouble, String file, String text) {}

  /**
   * What a log holds.
   *
   * @param end offset after the last intact group
   * @param wholeFrom offset from which on no file was deleted
   * @param committed by partition, the position of its last change, also of one that was trimmed
   * @param givenUp by partition, the position up to which changes were trimmed
   * @param salvaged changes that were damaged and trimmed
   */
  public record Summary(
      long end,
      long wholeFrom,
      SortedMap<Integer, Long> committed,
      SortedMap<Integer, Long> givenUp,
      List<LostHistory> salvaged,
      Size size,
      List<Finding> findings) {
    /** Copies. */
    public Summary {
      committed = Collections.unmodifiableSortedMap(new TreeMap<>(committed));
      givenUp = Collections.unmodifiableSortedMap(new TreeMap<>(givenUp));
      salvaged = List.copyOf(salvaged);
      findings = List.copyOf(findings);
    }
  }

  /** How much a log holds. */
  public record Size(int segments, long bytes, long groups) {}

  /** Is given what is intact, in order, as it is read. */
  public interface Visitor {
    /** Whether the partition exists: of others, changes may be missing. */
    boolean isLive(int partition);

    /** The next batch that was not trimmed; valid until {@link #groupEnd} returns. */
    void batch(ChangeBatch batch) throws IOException;

    /** All batches of a group have been given; the next one begins at or after {@code end}. */
    void groupEnd(long end) throws IOException;

    /** So many bytes of the log were read. */
    void read(long bytes);
  }

  private LogInspection(Path directory, LogIdentity identity, Visitor visitor) {
    this.directory = directory;
    this.identity = identity;
    this.visitor = visitor;
  }

  /** Reads the log in {@code directory}. */
  public static Summary inspect(Path directory, LogIdentity identity, Visitor visitor)
      throws IOException {
    LogInspection inspection = new LogInspection(directory, identity, visitor);
    inspection.inspect();
    inspection.trimmed.lost().forEach(inspection::countLost);
    return new Summary(
        inspection.end,
        inspection.trimmed.wholeFrom(),
        inspection.committed,
        inspection.trimmed.positions(),
        inspection.trimmed.lost(),
        new Size(inspection.segmentCount, inspection.byteCount, inspection.groups),
        inspection.findings);
  }

  /** Bytes of all segments in {@code directory}: what {@link #inspect} will read. */
  public static long byteCount(Path directory) throws IOException {
    long bytes = 0;
    for (String name : names(directory, LogFormat.SEGMENT_NAME)) {
      bytes += Files.size(directory.resolve(name));
    }
    return bytes;
  }

  private void countLost(LostHistory lost) {
    committed.merge(lost.partition(), lost.last(), Math::max);
  }

  private void found(Trouble trouble, String file, String text) {
    findings.add(new Finding(trouble, file, text));
  }

  private void inspect() throws IOException {
    readTrimmed();
    committed.putAll(trimmed.positions());
    List<String> names = new ArrayList<>(names(directory, LogFormat.SEGMENT_NAME));
    names.removeIf(name -> trimmed.isGap(base(name)));
    for (int i = 0; i < names.size(); i++) {
      long base = base(names.get(i));
      requireNoGap(base, names.get(i));
      boolean isLast = i + 1 == names.size();
      try (FileChannel file =
          FileChannel.open(directory.resolve(names.get(i)), StandardOpenOption.READ)) {
        Segment segment = new Segment(base, ReadOnlyFile.of(file), file.size());
        inspect(segment, names.get(i), isLast);
      }
    }
    if (end < trimmed.wholeFrom()) {
      found(
          Trouble.GAP,
          LogFormat.segmentName(trimmed.wholeFrom()),
          "the file is missing, and so is everything after offset " + end);
    }
  }

  private void readTrimmed() throws IOException {
    Path file = directory.resolve(LogFormat.TRIM_NAME);
    if (Files.exists(file)) {
      TrimFile read = TrimFile.read(ByteBuffer.wrap(Files.readAllBytes(file)));
      if (read == null) {
        found(
            Trouble.TRIMMED_DAMAGED,
            LogFormat.TRIM_NAME,
            "the file, which says what the log trimmed, does not match its checksum");
      } else {
        trimmed = read;
      }
    }
  }

  private void requireNoGap(long base, String name) {
    Long gapEnd = trimmed.gaps().get(end);
    if (base != end && (gapEnd == null || gapEnd != base)) {
      found(
          Trouble.GAP,
          name,
          "the log ends at offset " + end + " before this file, which begins at offset " + base);
    }
  }

  private void inspect(Segment segment, String name, boolean isLast) throws IOException {
    segmentCount++;
    byteCount += segment.size();
    end = segment.end();
    StoredIndex.Contents stored = storedIndex(segment, name, isLast);
    if (isLast && isUnborn(segment)) {
      found(Trouble.TORN, name, "the file was being made and has no header yet");
      end = segment.base();
      return;
    }
    checkHeader(segment, name);
    long indexed = stored == null ? 0 : stored.segmentBytes();
    boolean isWhole = scan(segment, name, isLast ? indexed : segment.size());
    visitor.read(segment.size());
    if (stored != null && isWhole) {
      compare(segment, stored, name);
    }
  }

  /**
   * Reads all groups; whether each byte of the file was as it was written.
   *
   * @param durable bytes of the file that were durable for certain
   */
  private boolean scan(Segment segment, String name, long durable) throws IOException {
    boolean isWhole = true;
    long from = LogFormat.SEGMENT_HEADER_BYTES;
    while (from >= 0) {
      SegmentScan scan = new SegmentScan(segment, from);
      while (scan.next((batch, offset) -> batch(segment, name, batch, offset))) {
        groups++;
        visitor.groupEnd(segment.base() + scan.offset());
      }
      long bad = scan.offset();
      if (bad >= segment.size()) {
        return isWhole;
      }
      isWhole = false;
      from = damaged(segment, scan, name, durable);
    }
    return isWhole;
  }

  /** Says what is wrong where the scan stopped; where it can continue, -1 when it cannot. */
  private long damaged(Segment segment, SegmentScan scan, String name, long durable)
      throws IOException {
    long bad = scan.offset();
    if (bad >= durable) {
      try {
        scan.requireTorn();
        end = segment.base() + bad;
        found(
            Trouble.TORN,
            name,
            "the last "
                + (segment.size() - bad)
                + " bytes, from byte "
                + bad
                + " on, are a write that a crash cut short");
        return -1;
      } catch (CorruptLogException corrupt) {
        // Said below.
      }
    }
    long next = nextGroup(segment, bad + 1);
    found(
        Trouble.DAMAGED,
        name,
        (next < 0 ? segment.size() - bad : next - bad)
            + " bytes from byte "
            + bad
            + " on, offset "
            + (segment.base() + bad)
            + " of the log, are not what was written");
    return next;
  }

  /** Where the next group stands that is intact, -1 when there is none. */
  private static long nextGroup(Segment segment, long from) throws IOException {
    byte[] window = new byte[WINDOW_BYTES];
    for (long start = from; segment.size() - start >= LogFormat.GROUP_HEADER_BYTES; ) {
      int count = (int) Math.min(window.length, segment.size() - start);
      segment.read(ByteBuffer.wrap(window, 0, count), start);
      for (int i = 0; i + 4 <= count; i++) {
        if (Binary.getInt(window, i) == LogFormat.GROUP_MAGIC
            && new SegmentScan(segment, start + i).next((batch, offset) -> {})) {
          return start + i;
        }
      }
      start += count - 3;
    }
    return -1;
  }

  private void batch(Segment segment, String name, ChangeBatch batch, int offset)
      throws IOException {
    segment.add(batch, offset);
    int partition = batch.partition();
    long last = committed.getOrDefault(partition, 0L);
    if (batch.lastPosition() <= trimmed.position(partition)) {
      return;
    }
    long next = trimmed.behindLost(partition, last + 1);
    if (batch.basePosition() != next && visitor.isLive(partition)) {
      found(
          Trouble.CHANGES_MISSING,
          name,
          batch.basePosition() > last
              ? "changes "
                  + next
                  + " to "
                  + (batch.basePosition() - 1)
                  + " of partition "
                  + partition
                  + " are not in the log"
              : "partition "
                  + partition
                  + " goes back from position "
                  + last
                  + " to "
                  + batch.basePosition());
    }
    committed.put(partition, batch.lastPosition());
    visitor.batch(batch);
  }

  private StoredIndex.Contents storedIndex(Segment segment, String name, boolean isLast)
      throws IOException {
    String index = LogFormat.indexName(segment.base());
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(directory.resolve(index));
    } catch (NoSuchFileException e) {
      if (!isLast) {
        found(Trouble.INDEX_MISSING, index, "the index of " + name + " is missing");
      }
      return null;
    }
    StoredIndex.Contents stored = StoredIndex.read(ByteBuffer.wrap(bytes), segment.base());
    if (stored == null) {
      found(Trouble.INDEX_UNUSABLE, index, "the index of " + name + " does not match its checksum");
      return null;
    }
    if (stored.segmentBytes() > segment.size()) {
      found(
          Trouble.CUT,
          name,
          "the file has "
              + segment.size()
              + " bytes, but "
              + stored.segmentBytes()
              + " were durable when its index was stored");
      return null;
    }
    if (!isLast && stored.segmentBytes() != segment.size()) {
      found(
          Trouble.INDEX_UNUSABLE,
          index,
          "the index is of the first "
              + stored.segmentBytes()
              + " bytes of "
              + name
              + ", which has "
              + segment.size());
      return null;
    }
    return stored;
  }

  /** Compares a stored index with the batches found in its segment. */
  private void compare(Segment segment, StoredIndex.Contents stored, String name) {
    Map<Integer, BatchIndex> scanned = new HashMap<>(segment.index());
    for (Map.Entry<Integer, StoredIndex> entry : stored.partitions().entrySet()) {
      BatchIndex read = scanned.remove(entry.getKey());
      if (read == null || !startsWith(read, entry.getValue())) {
        wrongIndex(segment, name, entry.getKey());
        return;
      }
    }
    boolean coversAll = stored.segmentBytes() == segment.size();
    if (coversAll && !scanned.isEmpty()) {
      wrongIndex(segment, name, scanned.keySet().iterator().next());
    }
  }

  private void wrongIndex(Segment segment, String name, int partition) {
    found(
        Trouble.INDEX_WRONG,
        LogFormat.indexName(segment.base()),
        "the index does not say where the changes of partition " + partition + " stand in " + name);
  }

  private static boolean startsWith(BatchIndex read, BatchIndex stored) {
    int count = stored.count();
    if (count > read.count()) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (read.firstPosition(i) != stored.firstPosition(i)
          || read.fileOffset(i) != stored.fileOffset(i)
          || read.lastPosition(i + 1) != stored.lastPosition(i + 1)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUnborn(Segment segment) throws IOException {
    if (segment.size() > LogFormat.SEGMENT_HEADER_BYTES) {
      return false;
    }
    byte[] header = new byte[(int) segment.size()];
    segment.read(ByteBuffer.wrap(header), 0);
    for (byte b : header) {
      if (b != 0 && header.length == LogFormat.SEGMENT_HEADER_BYTES) {
        return false;
      }
    }
    return true;
  }

  private void checkHeader(Segment segment, String name) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER_BYTES);
    if (segment.size() >= LogFormat.SEGMENT_HEADER_BYTES) {
      segment.read(header, 0);
    }
    if (identity.isOfAnotherOrigin(header.rewind(), segment.base())) {
      found(Trouble.OTHER_ORIGIN, name, "the file was written under another catalog");
    } else if (!identity.owns(header, segment.base())) {
      found(
          Trouble.HEADER_DAMAGED,
          name,
          "the file does not begin as the segment of shard " + identity.shard() + " at its offset");
    }
  }

  static long base(String name) {
    return Long.parseLong(name.substring(0, name.indexOf('.')));
  }

  static List<String> names(Path directory, Pattern pattern) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(path -> path.getFileName().toString())
          .filter(name -> pattern.matcher(name).matches())
          .sorted()
          .toList();
    }
  }
}
