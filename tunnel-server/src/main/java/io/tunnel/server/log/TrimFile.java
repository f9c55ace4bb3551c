package io.tunnel.server.log;

import io.tunnel.codec.Checksum;
import io.tunnel.server.changes.LostHistory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * What a log trimmed, as it is kept alongside its segments; {@code docs/internals/storage.md} draws
 * the bytes.
 *
 * @param newestMicros no change that was trimmed was committed later
 * @param positions by partition, the position up to which its changes were trimmed
 * @param gaps by its first, the offset after each range of the log whose files were deleted; they
 *     do not touch
 * @param lost changes that were damaged and trimmed, by partition and position
 * @param begins by partition, the base of the segment in which its changes begin; what earlier
 *     segments have of the partition was forgotten, whatever its positions
 */
record TrimFile(
    long newestMicros,
    SortedMap<Integer, Long> positions,
    NavigableMap<Long, Long> gaps,
    List<LostHistory> lost,
    SortedMap<Integer, Long> begins) {

  static final TrimFile NOTHING =
      new TrimFile(0, new TreeMap<>(), new TreeMap<>(), List.of(), new TreeMap<>());

  private static final int HEADER_BYTES = 24;
  private static final int POSITION_BYTES = 12;
  private static final int GAP_BYTES = 16;
  private static final int LOST_BYTES = 20;

  TrimFile {
    positions = Collections.unmodifiableSortedMap(new TreeMap<>(positions));
    gaps = Collections.unmodifiableNavigableMap(new TreeMap<>(gaps));
    lost = List.copyOf(lost);
    begins = Collections.unmodifiableSortedMap(new TreeMap<>(begins));
  }

  /** The same, but for the changes that were damaged and trimmed. */
  TrimFile withLost(List<LostHistory> others) {
    return new TrimFile(newestMicros, positions, gaps, others, begins);
  }

  /** Whether what a segment has of a partition was not forgotten. */
  boolean counts(int partition, long base) {
    return base >= begins.getOrDefault(partition, 0L);
  }

  /** What is said when all changes of a partition up to an offset of the log are forgotten. */
  TrimFile forgetting(int partition, long position, long base) {
    TreeMap<Integer, Long> nextPositions = new TreeMap<>(positions);
    TreeMap<Integer, Long> nextBegins = new TreeMap<>(begins);
    nextPositions.put(partition, position);
    nextBegins.put(partition, base);
    List<LostHistory> others =
        lost.stream().filter(range -> range.partition() != partition).toList();
    return new TrimFile(newestMicros, nextPositions, gaps, others, nextBegins);
  }

  /** Position up to which the changes of a partition were trimmed; 0 when none were. */
  long position(int partition) {
    return positions.getOrDefault(partition, 0L);
  }

  /** The first position at or after {@code position} that was not damaged and trimmed. */
  long behindLost(int partition, long position) {
    long behind = position;
    for (LostHistory range : lost) {
      if (range.partition() == partition && range.first() <= behind && behind <= range.last()) {
        behind = range.last() + 1;
      }
    }
    return behind;
  }

  /** The lost ranges after the positions that {@code behind} names, of the partitions in it. */
  List<LostHistory> lostBehind(SortedMap<Integer, Long> behind, IntPredicate isLive) {
    return lost.stream()
        .filter(range -> isLive.test(range.partition()))
        .filter(range -> range.last() > behind.getOrDefault(range.partition(), 0L))
        .toList();
  }

  /** Offset after the last byte that was deleted: what follows is complete. */
  long wholeFrom() {
    return gaps.isEmpty() ? 0 : gaps.lastEntry().getValue();
  }

  /** Whether the byte at {@code offset} was deleted. */
  boolean isGap(long offset) {
    Map.Entry<Long, Long> gap = gaps.floorEntry(offset);
    return gap != null && offset < gap.getValue();
  }

  /**
   * Whether a segment that begins at {@code base} follows a segment that ends at {@code end}:
   * directly, or with only a deleted range between.
   */
  boolean follows(long base, long end) {
    return base == end || Long.valueOf(base).equals(gaps.get(end));
  }

  /**
   * Adds a range to {@code gaps} and joins it with adjacent ranges. The range may be in {@code
   * gaps} already: a trim repeats the deletion of a file that failed.
   */
  static void addGap(NavigableMap<Long, Long> gaps, long from, long end) {
    Map.Entry<Long, Long> before = gaps.floorEntry(from);
    long start = before != null && before.getValue() >= from ? before.getKey() : from;
    long last = end;
    NavigableMap<Long, Long> touched = gaps.subMap(start, true, end, true);
    for (long gapEnd : touched.values()) {
      last = Math.max(last, gapEnd);
    }
    touched.clear();
    gaps.put(start, last);
  }

  /** Reads the file; null when it is not complete and intact. */
  static TrimFile read(ByteBuffer file) {
    int size = file.limit();
    if (size < HEADER_BYTES + 4) {
      return null;
    }
    boolean hasForgotten = file.getLong(0) == LogFormat.FORGOTTEN_TRIM_MAGIC;
    int header = hasForgotten ? HEADER_BYTES + Integer.BYTES : HEADER_BYTES;
    if ((!hasForgotten && file.getLong(0) != LogFormat.TRIM_MAGIC)
        || size < header + 4
        || file.getInt(size - 4) != LogFormat.crc(file.slice(0, size - 4))) {
      return null;
    }
    TreeMap<Integer, Long> positions = new TreeMap<>();
    TreeMap<Long, Long> gaps = new TreeMap<>();
    ByteBuffer at = file.slice(header, size - header);
    for (int left = file.getInt(16); left > 0; left--) {
      positions.put(at.getInt(), at.getLong());
    }
    for (int left = file.getInt(20); left > 0; left--) {
      gaps.put(at.getLong(), at.getLong());
    }
    TreeMap<Integer, Long> begins = new TreeMap<>();
    for (int left = hasForgotten ? file.getInt(24) : 0; left > 0; left--) {
      begins.put(at.getInt(), at.getLong());
    }
    List<LostHistory> lost = new ArrayList<>();
    while (at.remaining() >= LOST_BYTES) {
      lost.add(new LostHistory(at.getInt(), at.getLong(), at.getLong()));
    }
    return new TrimFile(file.getLong(8), positions, gaps, lost, begins);
  }

  /** The bytes of the file; of the former form where no partition was forgotten. */
  ByteBuffer write() {
    boolean hasForgotten = !begins.isEmpty();
    ByteBuffer file =
        ByteBuffer.allocate(
            HEADER_BYTES
                + (hasForgotten ? Integer.BYTES : 0)
                + positions.size() * POSITION_BYTES
                + gaps.size() * GAP_BYTES
                + begins.size() * POSITION_BYTES
                + lost.size() * LOST_BYTES
                + 4);
    file.putLong(hasForgotten ? LogFormat.FORGOTTEN_TRIM_MAGIC : LogFormat.TRIM_MAGIC);
    file.putLong(newestMicros);
    file.putInt(positions.size()).putInt(gaps.size());
    if (hasForgotten) {
      file.putInt(begins.size());
    }
    positions.forEach((partition, position) -> file.putInt(partition).putLong(position));
    gaps.forEach((from, end) -> file.putLong(from).putLong(end));
    begins.forEach((partition, base) -> file.putInt(partition).putLong(base));
    for (LostHistory range : lost) {
      file.putInt(range.partition()).putLong(range.first()).putLong(range.last());
    }
    file.putInt(Checksum.crc32c(file.array(), 0, file.position()));
    return file.flip();
  }
}
