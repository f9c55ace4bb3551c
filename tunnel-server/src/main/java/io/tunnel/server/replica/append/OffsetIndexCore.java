package io.tunnel.server.replica.append;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Where records of partitions are, by position: sparse pairs of a position and an offset, about one
 * for each {@value #BYTES_APART} bytes of records. When the pairs of a node are too many, the
 * partition with the most pairs loses every second one, and gets new pairs half as often. So the
 * index covers all of a long log coarsely, rather than its end well.
 *
 * <p>Invariant: the record at the offset of a pair counts, and its first change has the position of
 * the pair. Only records that count may be given to the index.
 */
final class OffsetIndexCore {

  /** Bytes of records between two pairs. */
  static final long BYTES_APART = 1 << 20;

  /** Records between two pairs, however small the records are. */
  static final long RECORDS_APART = 1_024;

  /** What a pair takes in memory, about. */
  static final int PAIR_BYTES = 100;

  private final long bytesMax;
  private final Map<Integer, Pairs> partitions = new HashMap<>();

  /** Pairs of all partitions; {@code count * PAIR_BYTES <= bytesMax} after each call. */
  private long count;

  /** A record that counts: the position of its first change, and its offset. */
  record Pair(long position, long offset) {}

  private static final class Pairs {
    final NavigableMap<Long, Long> offsets = new TreeMap<>();

    /** How much further apart than usual new pairs are; a power of two. */
    long sparseness = 1;

    long bytesSince;
    long recordsSince;

    boolean isDue(int bytes) {
      bytesSince += bytes;
      recordsSince++;
      return offsets.isEmpty()
          || bytesSince >= BYTES_APART * sparseness
          || recordsSince >= RECORDS_APART * sparseness;
    }
  }

  /**
   * An empty index.
   *
   * @param bytesMax of all pairs of the node
   */
  OffsetIndexCore(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * A lane has read or appended a record that counts.
   *
   * @param bytes of the record
   */
  void saw(RecordPlace place, int bytes) {
    if (place.header().changes() == 0) {
      return;
    }
    Pairs pairs = partitions.computeIfAbsent(place.partition(), any -> new Pairs());
    if (pairs.isDue(bytes)) {
      pairs.bytesSince = 0;
      pairs.recordsSince = 0;
      put(pairs, place);
    }
  }

  /** A reader of old changes has found a record that counts, anywhere in the log. */
  void found(RecordPlace place) {
    if (place.header().changes() > 0) {
      put(partitions.computeIfAbsent(place.partition(), any -> new Pairs()), place);
    }
  }

  private void put(Pairs pairs, RecordPlace place) {
    if (pairs.offsets.put(place.header().first(), place.offset()) == null) {
      count++;
    }
    while (count * PAIR_BYTES > bytesMax) {
      thin(
          partitions.values().stream()
              .max(Comparator.comparingInt(each -> each.offsets.size()))
              .orElseThrow());
    }
  }

  private void thin(Pairs pairs) {
    boolean isKept = pairs.offsets.size() > 1;
    for (Iterator<Long> each = pairs.offsets.keySet().iterator(); each.hasNext(); ) {
      each.next();
      if (!isKept) {
        each.remove();
        count--;
      }
      isKept = !isKept;
    }
    pairs.sparseness *= 2;
  }

  /** The last pair at or before a position. */
  Optional<Pair> atOrBefore(int partition, long position) {
    return pair(offsets(partition).floorEntry(position));
  }

  /** The first pair after a position. */
  Optional<Pair> after(int partition, long position) {
    return pair(offsets(partition).higherEntry(position));
  }

  private NavigableMap<Long, Long> offsets(int partition) {
    Pairs pairs = partitions.get(partition);
    return pairs == null ? new TreeMap<>() : pairs.offsets;
  }

  private static Optional<Pair> pair(Map.Entry<Long, Long> found) {
    return Optional.ofNullable(found).map(each -> new Pair(each.getKey(), each.getValue()));
  }

  /** The log has no record before {@code offset}, and no change before {@code position}. */
  void trimmed(int partition, long offset, long position) {
    remove(offsets(partition).headMap(position, false));
    removeFrom(offsets(partition), 0, offset);
  }

  /** The log has lost the records at and after {@code offset}. */
  void cut(int partition, long offset) {
    removeFrom(offsets(partition), offset, Long.MAX_VALUE);
  }

  private void removeFrom(NavigableMap<Long, Long> pairs, long from, long to) {
    int before = pairs.size();
    pairs.values().removeIf(offset -> offset >= from && offset < to);
    count -= before - pairs.size();
  }

  private void remove(NavigableMap<Long, Long> part) {
    count -= part.size();
    part.clear();
  }

  /** The node has no replica of the partition any more. */
  void drop(int partition) {
    remove(offsets(partition));
    partitions.remove(partition);
  }

  /** Bytes of all pairs. */
  long bytes() {
    return count * PAIR_BYTES;
  }
}
