package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.util.List;

/**
 * The rows of partitions with a time to live, in the order in which they may expire. An entry is a
 * hint: the stored row decides. What must hold: each stored row of such a partition has an entry
 * whose time is at or before the commit time of the row. The fold of a write puts the entry in the
 * write of the row; entries of rows that were written again or deleted stay until a sweep looks.
 */
public interface ExpiryIndex {

  /** A key that may expire, and the time of its entry. */
  record Entry(long micros, Bytes key) {}

  /**
   * The first entries of a partition.
   *
   * @param fromMicros no entry is before
   */
  List<Entry> first(int partition, long fromMicros, int countMax);

  /**
   * Removes entries and adds others, in one write. Under the lock of the fold. A crash may undo the
   * complete write, which leaves entries to be looked at again.
   */
  void change(int partition, List<Entry> removed, List<Entry> added) throws IOException;
}
