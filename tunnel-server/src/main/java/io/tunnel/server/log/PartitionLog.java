package io.tunnel.server.log;

import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a log knows of one partition. Its owner writes; anybody reads. */
final class PartitionLog {

  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionLog.class);

  /** The segments that hold changes of the partition, by the position of the first in each. */
  final NavigableMap<Long, Segment> segments = new ConcurrentSkipListMap<>();

  final CopyOnWriteArrayList<ChangeReader.CommitListener> listeners = new CopyOnWriteArrayList<>();

  /** Position of the newest committed change; 0 when there is none. */
  volatile long committed;

  /** A listener that fails is its own trouble: what is committed stays so, and others are told. */
  void tellListeners(int partition) {
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
