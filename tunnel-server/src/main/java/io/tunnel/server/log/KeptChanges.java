package io.tunnel.server.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What a log still has of some partitions, segment by segment. */
record KeptChanges(NavigableMap<Long, Segment> segments, Map<Integer, PartitionLog> partitions) {

  /** See {@link LocalLog#kept}; {@code last} is the segment that is written. */
  List<LocalLog.Kept> of(Collection<Integer> ids, Segment last) throws IOException {
    NavigableMap<Long, Long> bytes = new TreeMap<>();
    for (int id : ids) {
      PartitionLog log = partitions.get(id);
      for (Segment segment : log == null ? List.<Segment>of() : log.segments.values()) {
        BatchIndex index = segment.index(id);
        bytes.merge(segment.base(), (long) index.bytesOf(index.count()), Long::sum);
      }
    }
    List<LocalLog.Kept> kept = new ArrayList<>();
    for (Map.Entry<Long, Long> entry : bytes.entrySet()) {
      Segment segment = segments.get(entry.getKey());
      // One that went meanwhile needs no decision, and of those newer than `last` the next look
      // knows.
      if (segment != null && segment.base() <= last.base()) {
        kept.add(kept(segment, segment != last, entry.getValue()));
      }
    }
    return kept;
  }

  private static LocalLog.Kept kept(Segment segment, boolean isSealed, long bytes)
      throws IOException {
    long newest = isSealed ? segment.newestMicros() : Long.MAX_VALUE;
    return new LocalLog.Kept(segment.base(), isSealed, bytes, segment.oldestMicros(), newest);
  }
}
