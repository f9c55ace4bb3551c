package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import java.io.IOException;
import java.util.NavigableMap;

/**
 * Reads a log once more, group by group, for a table that has not folded all of it.
 *
 * @param wholeFrom offset from which on no file is missing
 * @param end of the log
 */
record Replay(int shard, NavigableMap<Long, Segment> segments, long wholeFrom, long end) {

  /** See {@link LocalLog#replay}. */
  void from(long from, ReplayVisitor visitor) throws IOException {
    requireKept(from);
    Long floor = segments.floorKey(from);
    for (Segment segment : segments.tailMap(floor == null ? from : floor, true).values()) {
      long start = Math.max(LogFormat.SEGMENT_HEADER_BYTES, from - segment.base());
      read(segment, start, visitor);
    }
  }

  private void requireKept(long from) throws IOException {
    if (from > end) {
      throw new CorruptLogException(
          "the log ends at offset "
              + end
              + " but its table is folded up to offset "
              + from
              + ": files of the log are missing or older than the table");
    }
    if (from < wholeFrom) {
      throw new CorruptLogException(
          "the table is folded up to offset "
              + from
              + ", but the log of shard "
              + shard
              + " is complete only from offset "
              + wholeFrom
              + " on, since older changes are no longer kept: restore the table from a copy");
    }
  }

  private static void read(Segment segment, long start, ReplayVisitor visitor) throws IOException {
    SegmentScan scan = new SegmentScan(segment, start);
    SegmentScan.Visitor each =
        new SegmentScan.Visitor() {
          @Override
          public void batch(ChangeBatch batch, int fileOffset) throws IOException {
            visitor.batch(batch);
          }

          @Override
          public void answers(ChangeBatch batch) throws IOException {
            visitor.answers(batch);
          }
        };
    while (scan.offset() < segment.size()) {
      long groupStart = scan.offset();
      if (!scan.next(each)) {
        throw new CorruptLogException(
            "the log is damaged at offset "
                + (segment.base() + groupStart)
                + " (file "
                + LogFormat.segmentName(segment.base())
                + ", byte "
                + groupStart
                + ")");
      }
      visitor.groupEnd(segment.base() + scan.offset());
    }
  }
}
