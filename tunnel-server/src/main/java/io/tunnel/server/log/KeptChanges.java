package io.tunnel.server.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a log still has of some partitions, segment by segment. */
record KeptChanges(NavigableMap<Long, Segment> segments, Map<Integer, PartitionLog> partitions) {

  /** See {@link LocalLog#kept}; {@code last} is the segment that is written. */
  List<Kept> of(Collection<Integer> ids, Segment last) throws IOException {
    NavigableMap<Long, Long> bytes = new TreeMap<>();
    for (int id : ids) {
      PartitionLog log = partitions.get(id);
      for (Segment segment : log == null ? List.<Segment>of() : log.segments.values()) {
        BatchIndex index = segment.index(id);
        bytes.merge(segment.base(), (long) index.bytesOf(index.count()), Long::sum);
      }
    }
    Map<Long, Long> oldestAfter = oldestAfter();
    List<Kept> kept = new ArrayList<>();
    for (Map.Entry<Long, Long> entry : bytes.entrySet()) {
      Segment segment = segments.get(entry.getKey());
      // One that went meanwhile needs no decision, and of those newer than `last` the next look
      // knows.
      if (segment != null && segment.base() <= last.base()) {
        kept.add(
            kept(
                segment,
                segment != last,
                entry.getValue(),
                oldestAfter.getOrDefault(segment.base(), Long.MAX_VALUE)));
      }
    }
    return kept;
  }

  /**
   * A bound for the time at which each segment ended: the least commit time in all later segments.
   * One change that a clock has dated into the future then keeps no segment.
   */
  private Map<Long, Long> oldestAfter() throws IOException {
    Map<Long, Long> bounds = new HashMap<>();
    long oldest = Long.MAX_VALUE;
    for (Segment segment : segments.descendingMap().values()) {
      bounds.put(segment.base(), oldest);
      long begin = segment.oldestMicros();
      oldest = begin == Long.MIN_VALUE ? oldest : Math.min(oldest, begin);
    }
    return bounds;
  }

  private static Kept kept(Segment segment, boolean isSealed, long bytes, long oldestAfter)
      throws IOException {
    long newest = isSealed ? Math.min(segment.newestMicros(), oldestAfter) : Long.MAX_VALUE;
    return new Kept(segment.base(), isSealed, bytes, segment.oldestMicros(), newest);
  }
}
