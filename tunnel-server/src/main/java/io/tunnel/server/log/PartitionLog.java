package io.tunnel.server.log;

import java.io.IOException;
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

  PartitionLog(int partition) {
    this.partition = partition;
  }

  /** Position of the oldest change that is kept; one over {@link #committed} when there is none. */
  long firstPosition() {
    Map.Entry<Long, Segment> first = segments.firstEntry();
    return first == null ? committed + 1 : first.getKey();
  }

  /**
   * Position of the last change committed before {@code epochMicros}. Commit times never fall, so
   * the batches before that moment are the first ones: the segment where they end is searched for
   * by its first batch, and then the batch in it, with one small read for each step.
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

  /** A listener that fails is its own trouble: what is committed stays so, and others are told. */
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
