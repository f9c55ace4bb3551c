package io.tunnel.server.log;

import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.disk.Disk;
import io.tunnel.server.disk.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Trims old changes of a log, on the thread that owns it.
 *
 * <p>A partition's changes go by complete segments, oldest first; a segment's file goes when no
 * partition has changes in it any more and the table needs none of it. The order makes every crash
 * harmless: first the trim file says durably what is trimmed, then readers lose it, then files are
 * deleted. A file that a crash leaves although the trim file has it as deleted is deleted by the
 * next start.
 */
final class Trimmer {

  /** Space for the trim file of some 5,000 partitions. */
  private static final int RESERVE_BYTES = 64 << 10;

  /** The reserve is made when the disk has so many bytes left. */
  private static final long RESERVE_ROOM_BYTES_MIN = 1 << 20;

  private final Disk disk;
  private final NavigableMap<Long, Segment> segments;
  private final Map<Integer, PartitionLog> partitions;

  /** What has been trimmed so far; set before readers lose it, and read by any thread. */
  private volatile TrimFile trimmed;

  /** Whether this process has seen that the reserve is there completely. */
  private boolean hasReserve;

  Trimmer(
      Disk disk,
      NavigableMap<Long, Segment> segments,
      Map<Integer, PartitionLog> partitions,
      TrimFile trimmed) {
    this.disk = disk;
    this.segments = segments;
    this.partitions = partitions;
    this.trimmed = trimmed;
  }

  /**
   * See {@link LocalLog#forget}.
   *
   * @param base of the segment that is written, which has no change of the partition
   */
  void forget(int partition, long position, long base) throws IOException {
    TrimFile next = trimmed.forgetting(partition, position, base);
    replaceTrimFile(next);
    trimmed = next;
  }

  /** Whether every change that was ever appended is there. */
  boolean isWhole() {
    return trimmed.gaps().isEmpty()
        && trimmed.positions().isEmpty()
        && trimmed.lost().isEmpty()
        && trimmed.begins().isEmpty();
  }

  /** Offset from which on every byte of the log is there. */
  long wholeFrom() {
    return trimmed.wholeFrom();
  }

  /** Whether damaged changes were trimmed: rows cannot be made again from the log alone. */
  boolean hasLost() {
    return !trimmed.lost().isEmpty();
  }

  /** No change that was trimmed was committed later; 0 when none was. For any thread. */
  long newestMicros() {
    return trimmed.newestMicros();
  }

  /**
   * See {@link LocalLog#trim}.
   *
   * @param sealedMicros no change in a sealed segment was committed later
   */
  LocalLog.Freed trim(
      Map<Integer, Long> lastBases, IntPredicate isLive, long foldedOffset, long sealedMicros)
      throws IOException {
    SortedMap<Integer, Long> positions = new TreeMap<>(trimmed.positions());
    SortedMap<Integer, Long> begins = new TreeMap<>(trimmed.begins());
    positions.keySet().removeIf(partition -> !isLive.test(partition));
    begins.keySet().removeIf(partition -> !isLive.test(partition));
    lastBases.forEach((partition, base) -> advance(positions, partition, base));
    List<Segment> unused = unused(positions, isLive);
    List<Segment> deletable =
        unused.stream().filter(segment -> segment.end() <= foldedOffset).toList();
    store(
        new KeptPositions(positions, trimmed.lostBehind(positions, isLive), begins),
        deletable,
        Math.min(sealedMicros, newestMicros(lastBases, deletable)));
    long changes = forget(isLive);
    long bytes = 0;
    for (Segment segment : deletable) {
      bytes += segment.size();
      delete(segment);
    }
    keepReserve();
    return new LocalLog.Freed(changes, deletable.size(), bytes, deletable.size() < unused.size());
  }

  /**
   * A full disk gets space when segments are deleted, but the trim file has to be written before.
   * So a file next to the log reserves space for it.
   */
  private void keepReserve() throws IOException {
    if (hasReserve || disk.usableBytes() < RESERVE_ROOM_BYTES_MIN) {
      return;
    }
    try (Disk.File file = disk.open(LogFormat.RESERVE_NAME)) {
      if (file.size() < RESERVE_BYTES) {
        byte[] bytes = new byte[RESERVE_BYTES];
        // A file system that compresses reserves no space for zeros.
        new SplittableRandom(RESERVE_BYTES).nextBytes(bytes);
        file.write(ByteBuffer.wrap(bytes), 0);
        file.sync();
        disk.syncNames();
      }
      hasReserve = true;
    } catch (DiskFullException e) {
      // A later look tries again; what was written is overwritten then.
      disk.delete(LogFormat.RESERVE_NAME);
    }
  }

  private void replaceTrimFile(TrimFile next) throws IOException {
    try {
      disk.replace(LogFormat.TRIM_NAME, next.write());
    } catch (DiskFullException e) {
      hasReserve = false;
      disk.delete(LogFormat.RESERVE_NAME);
      disk.replace(LogFormat.TRIM_NAME, next.write());
    }
  }

  /** Raises the partition's position to its last one in the segments up to {@code lastBase}. */
  private void advance(SortedMap<Integer, Long> positions, int partition, long lastBase) {
    PartitionLog log = partitions.get(partition);
    long last = log == null ? 0 : log.lastPositionThrough(Math.min(lastBase, sealedBase()));
    if (last > positions.getOrDefault(partition, 0L)) {
      positions.put(partition, last);
    }
  }

  /** No change was committed later that has been trimmed, or goes with these segments. */
  private long newestMicros(Map<Integer, Long> lastBases, List<Segment> deletable)
      throws IOException {
    long newest = trimmed.newestMicros();
    for (Map.Entry<Integer, Long> last : lastBases.entrySet()) {
      PartitionLog log = partitions.get(last.getKey());
      long through = Math.min(last.getValue(), sealedBase());
      newest = Math.max(newest, log == null ? 0 : log.newestMicrosThrough(through));
    }
    for (Segment segment : deletable) {
      newest = Math.max(newest, segment.newestMicros());
    }
    return newest;
  }

  /** Base of the newest segment that is not written any more; -1 when there is none. */
  private long sealedBase() {
    Long sealed = segments.lowerKey(segments.lastKey());
    return sealed == null ? -1 : sealed;
  }

  /** The sealed segments in which no living partition has changes after its position. */
  private List<Segment> unused(SortedMap<Integer, Long> positions, IntPredicate isLive) {
    List<Segment> unused = new ArrayList<>();
    for (Segment segment : segments.headMap(segments.lastKey(), false).values()) {
      boolean isUsed = false;
      for (Map.Entry<Integer, BatchIndex> entry : segment.index().entrySet()) {
        int partition = entry.getKey();
        BatchIndex index = entry.getValue();
        isUsed =
            isLive.test(partition)
                && trimmed.counts(partition, segment.base())
                && index.lastPosition(index.count()) > positions.getOrDefault(partition, 0L);
        if (isUsed) {
          break;
        }
      }
      if (!isUsed) {
        unused.add(segment);
      }
    }
    return unused;
  }

  /** What is said of partitions from now on. */
  private record KeptPositions(
      SortedMap<Integer, Long> positions,
      List<LostHistory> lost,
      SortedMap<Integer, Long> begins) {}

  private void store(KeptPositions kept, List<Segment> deletable, long newestMicros)
      throws IOException {
    if (kept.positions().equals(trimmed.positions())
        && kept.lost().equals(trimmed.lost())
        && kept.begins().equals(trimmed.begins())
        && deletable.isEmpty()) {
      return;
    }
    NavigableMap<Long, Long> gaps = new TreeMap<>(trimmed.gaps());
    deletable.forEach(segment -> TrimFile.addGap(gaps, segment.base(), segment.end()));
    TrimFile next = new TrimFile(newestMicros, kept.positions(), gaps, kept.lost(), kept.begins());
    replaceTrimFile(next);
    trimmed = next;
  }

  /** Takes from readers what the trim file says is gone; returns how many changes. */
  private long forget(IntPredicate isLive) {
    long changes = 0;
    Map<Integer, BatchIndex> active = segments.lastEntry().getValue().index();
    for (Map.Entry<Integer, PartitionLog> entry : partitions.entrySet()) {
      int partition = entry.getKey();
      boolean isGone = !isLive.test(partition);
      changes += entry.getValue().forget(isGone ? Long.MAX_VALUE : trimmed.position(partition));
    }
    partitions.keySet().removeIf(id -> !isLive.test(id) && !active.containsKey(id));
    return changes;
  }

  private void delete(Segment segment) throws IOException {
    segments.remove(segment.base());
    segment.drop();
    disk.delete(LogFormat.indexName(segment.base()));
    disk.delete(LogFormat.segmentName(segment.base()));
  }
}
