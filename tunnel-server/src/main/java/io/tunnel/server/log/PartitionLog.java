package io.tunnel.server.log;

import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.LostHistory;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a log knows of one partition. Its owner writes; anybody reads. */
final class PartitionLog {

  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionLog.class);

  private final int partition;

  /** The segments that hold changes of the partition, by the position of the first in each. */
  final NavigableMap<Long, Segment> segments = new ConcurrentSkipListMap<>();

  final CopyOnWriteArrayList<ChangeReader.CommitListener> listeners = new CopyOnWriteArrayList<>();

  /** Position of the newest committed change; 0 when there is none. */
  volatile long committed;

  /**
   * No change of the partition was committed later, and none will be earlier; for the owner of the
   * log.
   */
  long lastMicros;

  /** Position up to which changes were trimmed; raised before their segments are taken away. */
  volatile long givenUp;

  /**
   * Of each range of changes that were damaged and trimmed, the last position by the first. Grows
   * only before the log is used.
   */
  private final NavigableMap<Long, Long> lost = new ConcurrentSkipListMap<>();

  PartitionLog(int partition) {
    this.partition = partition;
  }

  /** A segment has changes of the partition. Segments come in the order of the log. */
  void register(Segment segment) {
    BatchIndex index = segment.index(partition);
    long last = index.lastPosition(index.count());
    // Changes that end at or before the last position were trimmed.
    if (last > committed) {
      segments.put(index.firstPosition(0), segment);
      committed = last;
    }
  }

  /** Everything up to {@code position} was trimmed before the log was opened. */
  void startBehind(long position) {
    committed = position;
    givenUp = position;
  }

  /** Forgets all changes; the next one has the position after {@code position}. */
  void beginBehind(long position) {
    givenUp = Math.max(committed, position);
    segments.clear();
    lost.clear();
    startBehind(position);
  }

  /** These changes were damaged and trimmed before the log was opened. */
  void lose(LostHistory range) {
    lost.put(range.first(), range.last());
    committed = Math.max(committed, range.last());
  }

  /** The first position at or after {@code position} that was not damaged and trimmed. */
  long behindLost(long position) {
    Map.Entry<Long, Long> range = lost.floorEntry(position);
    return range != null && position <= range.getValue() ? range.getValue() + 1 : position;
  }

  /** Batches of the segment that is written are committed; for its owner. */
  void committed(Segment active, long firstPosition, long lastPosition) {
    if (segments.isEmpty() || segments.lastEntry().getValue() != active) {
      segments.put(firstPosition, active);
    }
    committed = lastPosition;
  }

  /** Position of the oldest change that is kept; one over {@link #committed} when there is none. */
  long firstPosition() {
    Map.Entry<Long, Segment> first = segments.firstEntry();
    return first == null ? committed + 1 : first.getKey();
  }

  /** See {@link ChangeReader#plan}. */
  SegmentExtents plan(long position, int bytesMax) {
    SegmentExtents plan = new SegmentExtents(partition);
    if (position > committed) {
      return plan;
    }
    long kept = behindLost(position);
    if (kept > position) {
      throw new LostHistory(partition, position, kept - 1).refusal();
    }
    Map.Entry<Long, Segment> start = segments.floorEntry(position);
    if (start == null && position > givenUp) {
      // In a gap before the first change that is kept.
      start = segments.ceilingEntry(position);
    }
    if (start == null) {
      throw new LostHistory(partition, position, firstPosition() - 1).refusal();
    }
    // Not from the map once more: it may have lost this one since.
    Segment segment = start.getValue();
    Iterator<Segment> rest = segments.tailMap(start.getKey(), false).values().iterator();
    while (collect(plan, segment, position, bytesMax) && rest.hasNext()) {
      segment = rest.next();
    }
    return plan;
  }

  /**
   * Adds what fits of one segment; false when the plan is full, or when the segment does not follow
   * what is planned, because the segments between were trimmed meanwhile.
   */
  private boolean collect(SegmentExtents plan, Segment segment, long position, int bytesMax) {
    BatchIndex index = segment.index(partition);
    if (!plan.isEmpty() && givenUp > plan.lastPosition()) {
      return false;
    }
    int count = index.count();
    for (int i = index.firstBehind(position - 1, count); i < count; i++) {
      boolean isFull = index.batchBytes(i, count) > bytesMax - plan.bytes();
      if (!plan.isEmpty() && (isFull || isLost(plan.lastPosition() + 1))) {
        return false;
      }
      plan.add(segment, index, i, count);
    }
    return true;
  }

  private boolean isLost(long position) {
    return behindLost(position) > position;
  }

  /** See {@link ChangeReader#bytesAfter}. */
  long bytesAfter(long position) {
    if (position >= committed) {
      return 0;
    }
    Long start = segments.floorKey(position + 1);
    long bytes = 0;
    for (Segment segment : segments.tailMap(start == null ? position + 1 : start, true).values()) {
      BatchIndex index = segment.index(partition);
      int count = index.count();
      int from = index.firstBehind(position, count);
      bytes += from == count ? 0 : index.bytesOf(count) - index.bytesBefore(from);
    }
    return bytes;
  }

  /** Position of the last change in the segments up to {@code lastBase}; 0 when there is none. */
  long lastPositionThrough(long lastBase) {
    long last = 0;
    for (Segment segment : segments.values()) {
      if (segment.base() > lastBase) {
        return last;
      }
      BatchIndex index = segment.index(partition);
      last = index.lastPosition(index.count());
    }
    return last;
  }

  /**
   * No change in the segments up to {@code lastBase} was committed later, in microseconds since
   * 1970: 0 when there is none, and {@link Long#MAX_VALUE} when damage hides it.
   */
  long newestMicrosThrough(long lastBase) throws IOException {
    long newest = 0;
    for (Segment segment : segments.values()) {
      if (segment.base() > lastBase) {
        return newest;
      }
      newest = Math.max(newest, segment.newestMicros());
    }
    return newest;
  }

  /**
   * Trims the segments whose changes end at or before {@code position}, oldest first, so that a
   * reader who meets a segment finds all that follow it or notices the gap; returns how many
   * changes were in them.
   */
  long forget(long position) {
    long first = firstPosition();
    givenUp = Math.max(givenUp, Math.min(position, committed));
    for (Map.Entry<Long, Segment> oldest = segments.firstEntry();
        oldest != null && oldest.getKey() <= position;
        oldest = segments.firstEntry()) {
      segments.remove(oldest.getKey());
    }
    return firstPosition() - first;
  }

  /**
   * Position of the last change committed before {@code epochMicros}. Commit times never fall, so
   * the batches before that time are the first ones: the segment where they end is searched for by
   * its first batch, and then the batch in it, with one small read for each step.
   */
  long positionBefore(long epochMicros) throws IOException {
    List<Segment> kept = List.copyOf(segments.values());
    int low = 0;
    int high = kept.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      Segment segment = kept.get(middle);
      if (segment.commitMicrosAt(segment.index(partition).fileOffset(0)) < epochMicros) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? firstPosition() - 1 : positionBefore(kept.get(low - 1), epochMicros);
  }

  /** Of a segment whose first batch was committed before {@code epochMicros}. */
  private long positionBefore(Segment segment, long epochMicros) throws IOException {
    BatchIndex index = segment.index(partition);
    int low = 1;
    int high = index.count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (segment.commitMicrosAt(index.fileOffset(middle)) < epochMicros) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return index.lastPosition(low);
  }

  /**
   * Tells the listeners. A failing listener neither undoes the commit nor keeps the remaining
   * listeners from being notified.
   */
  void tellListeners() {
    long position = committed;
    for (ChangeReader.CommitListener listener : listeners) {
      try {
        listener.committed(partition, position);
      } catch (RuntimeException e) {
        LOGGER.error("cannot tell of changes of partition {}", partition, e);
      }
    }
  }
}
