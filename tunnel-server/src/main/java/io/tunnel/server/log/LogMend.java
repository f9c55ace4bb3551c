package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.DurableFiles;
import io.tunnel.server.disk.FileDisk;
import io.tunnel.server.disk.ReadOnlyFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Removes the damaged parts, and nothing else, from a log that no server has open. Offsets do not
 * change: fillers replace the damaged bytes, in a copy of the file. Positions of a partition are
 * consecutive, so a position without an intact batch is lost; the file {@code trimmed} lists the
 * lost positions, and readers are notified.
 *
 * <p>A crash between two steps leaves a log that the server still refuses, or cuts off at damage at
 * its end; this class can mend that log again. The order ensures this: first it makes the lost
 * positions durable, then deletes the index, which may cover more than the damaged file has, and
 * then replaces the damaged file by the mended copy.
 */
public final class LogMend {

  private final Path directory;
  private final LogIdentity identity;
  private final IntPredicate isLive;
  private final long foldedOffset;
  private final Map<String, List<DamagedGroups.Patch>> patches = new LinkedHashMap<>();
  private final SortedMap<Integer, Long> nextPositions = new TreeMap<>();
  private final SortedMap<Integer, Long> lastPositions = new TreeMap<>();
  private final List<LostHistory> lost = new ArrayList<>();
  private TrimFile trimmed = TrimFile.NOTHING;

  private LogMend(Path directory, LogIdentity identity, IntPredicate isLive, long foldedOffset) {
    this.directory = directory;
    this.identity = identity;
    this.isLive = isLive;
    this.foldedOffset = foldedOffset;
  }

  /**
   * Looks for damaged bytes to trim, and changes nothing.
   *
   * @param isLive whether a partition exists; of others nothing is lost
   * @param foldedOffset up to which the rows are folded: these bytes were durable, and a group has
   *     to begin there
   * @throws IOException when the log cannot be mended by trimming damaged bytes
   */
  public static LogMend plan(
      Path directory, LogIdentity identity, IntPredicate isLive, long foldedOffset)
      throws IOException {
    LogMend mend = new LogMend(directory, identity, isLive, foldedOffset);
    mend.look();
    return mend;
  }

  /** Takes a file out of the way before another takes its place. */
  @FunctionalInterface
  public interface Aside {
    /** Returns when the file has another name, or a copy. */
    void take(Path file, boolean isCopy) throws IOException;
  }

  /** Whether bytes are damaged, or positions lost that no trim file lists. */
  public boolean isNeeded() {
    return !patches.isEmpty() || !lost().isEmpty();
  }

  /** The changes that are lost and were not trimmed before, by partition and position. */
  public List<LostHistory> lost() {
    return lost.stream().filter(range -> !isKnown(range)).toList();
  }

  private boolean isKnown(LostHistory range) {
    return trimmed.behindLost(range.partition(), range.first()) > range.last();
  }

  /** Whether changes are lost, now or by an earlier trim. */
  public boolean hasLost() {
    return !lost.isEmpty();
  }

  private void look() throws IOException {
    Path file = directory.resolve(LogFormat.TRIM_NAME);
    if (Files.exists(file)) {
      trimmed = TrimFile.read(ByteBuffer.wrap(Files.readAllBytes(file)));
      if (trimmed == null) {
        throw new IOException("what the log trimmed cannot be known: restore " + file);
      }
    }
    trimmed.positions().forEach((partition, last) -> nextPositions.put(partition, last + 1));
    trimmed.lost().forEach(range -> known(range.partition(), range.last()));
    List<String> names = new ArrayList<>(LogInspection.names(directory, LogFormat.SEGMENT_NAME));
    names.removeIf(name -> trimmed.isGap(LogInspection.base(name)));
    long end = 0;
    for (int i = 0; i < names.size(); i++) {
      long base = LogInspection.base(names.get(i));
      if (!trimmed.follows(base, end)) {
        throw new IOException(
            "a file of the log is missing before " + names.get(i) + ": restore that first");
      }
      end = base + look(names.get(i), i + 1 == names.size());
    }
    lastPositions.forEach((partition, last) -> seen(partition, last + 1, last));
    lost.sort(
        Comparator.comparingInt(LostHistory::partition).thenComparingLong(LostHistory::first));
  }

  /** Looks at a segment; returns how many bytes its file has when it is mended. */
  private long look(String name, boolean isLast) throws IOException {
    try (FileChannel file = FileChannel.open(directory.resolve(name), StandardOpenOption.READ)) {
      long base = LogInspection.base(name);
      Segment segment = new Segment(base, ReadOnlyFile.of(file), file.size());
      long durable = Math.min(foldedOffset - base, file.size());
      Path index = directory.resolve(LogFormat.indexName(base));
      if (Files.exists(index)) {
        StoredIndex.Contents stored =
            StoredIndex.read(ByteBuffer.wrap(Files.readAllBytes(index)), base);
        if (stored != null) {
          durable = Math.max(durable, stored.segmentBytes());
          stored.partitions().forEach((id, in) -> known(id, in.lastPosition(in.count())));
        }
      }
      DamagedGroups damaged =
          new DamagedGroups(segment, identity, isLast, Math.max(0, durable), foldedOffset - base);
      damaged.walk((batch, offset) -> seen(batch));
      if (!damaged.patches().isEmpty()) {
        patches.put(name, damaged.patches());
      }
      return damaged.end();
    }
  }

  private void known(int partition, long last) {
    if (isLive.test(partition)) {
      lastPositions.merge(partition, last, Math::max);
    }
  }

  private void seen(ChangeBatch batch) {
    if (isLive.test(batch.partition())
        && batch.lastPosition() > trimmed.position(batch.partition())) {
      seen(batch.partition(), batch.basePosition(), batch.lastPosition());
    }
  }

  /** Those before {@code first} that were not seen will not be seen any more. */
  private void seen(int partition, long first, long last) {
    long next = nextPositions.getOrDefault(partition, 1L);
    if (first > next) {
      lost.add(new LostHistory(partition, next, first - 1));
    }
    nextPositions.put(partition, Math.max(next, last + 1));
  }

  /** Does what {@link #plan} found; the log can be opened then. */
  public void execute(Aside aside) throws IOException {
    Disk disk = new FileDisk(directory);
    if (!lost.equals(trimmed.lost())) {
      disk.replace(LogFormat.TRIM_NAME, trimmed.withLost(lost).write());
    }
    for (Map.Entry<String, List<DamagedGroups.Patch>> of : patches.entrySet()) {
      Path file = directory.resolve(of.getKey());
      Path index = directory.resolve(LogFormat.indexName(LogInspection.base(of.getKey())));
      if (Files.exists(index)) {
        aside.take(index, false);
        disk.syncNames();
      }
      aside.take(file, true);
      replace(file, of.getValue());
    }
    var unused = storeIndexes(directory);
  }

  private static void replace(Path file, List<DamagedGroups.Patch> patches) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.copy(file, next, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel mended = FileChannel.open(next, StandardOpenOption.WRITE)) {
      for (DamagedGroups.Patch patch : patches) {
        ByteBuffer bytes = patch.bytes();
        for (long at = patch.offset(); bytes.hasRemaining(); ) {
          at += mended.write(bytes, at);
        }
      }
      mended.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncNames(file.toAbsolutePath().getParent());
  }

  /**
   * Makes the missing indexes of all segments but the last, from the batches in the segments.
   *
   * @return the names of the files that were written
   */
  public static List<String> storeIndexes(Path directory) throws IOException {
    Disk disk = new FileDisk(directory);
    List<String> written = new ArrayList<>();
    List<String> names = LogInspection.names(directory, LogFormat.SEGMENT_NAME);
    for (String name : names.subList(0, Math.max(0, names.size() - 1))) {
      String index = LogFormat.indexName(LogInspection.base(name));
      if (!Files.exists(directory.resolve(index))) {
        try (FileChannel file = FileChannel.open(directory.resolve(name))) {
          Segment segment =
              new Segment(LogInspection.base(name), ReadOnlyFile.of(file), file.size());
          SegmentScan scan = new SegmentScan(segment, LogFormat.SEGMENT_HEADER_BYTES);
          while (scan.next(segment::add)) {
            // Each step has done its work in the visitor.
          }
          disk.replace(index, segment.storedIndex());
          written.add(index);
        }
      }
    }
    return written;
  }
}
