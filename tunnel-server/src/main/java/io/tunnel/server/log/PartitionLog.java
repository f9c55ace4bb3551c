package io.tunnel.server.log;

import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a log knows of one partition. Its owner writes; anybody reads. */
final class PartitionLog {

  /** The segments that hold changes of the partition, by the position of the first in each. */
  final NavigableMap<Long, Segment> segments = new ConcurrentSkipListMap<>();

  final CopyOnWriteArrayList<ChangeReader.CommitListener> listeners = new CopyOnWriteArrayList<>();

  /** Position of the newest committed change; 0 when there is none. */
  volatile long committed;

  void tellListeners(int partition) {
    long position = committed;
    for (ChangeReader.CommitListener listener : listeners) {
      listener.committed(partition, position);
    }
  }
}
