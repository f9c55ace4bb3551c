package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.TrimCore.Kept;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;

/**
 * Where the newest bytes of a partition's log begin, by marks that a lane leaves on its way. The
 * marks live in memory: after a start, only bytes that the lane has taken since are known, so a log
 * is rather kept too long.
 *
 * <p>Invariants: bytes, positions and offsets of the marks rise. At most {@value #MARKS_MAX} marks
 * are remembered; when there are more, every second one is forgotten.
 */
final class KeptBytes {

  static final int MARKS_MAX = 64;

  private final Deque<Mark> marks = new ArrayDeque<>();

  /** The log has {@code bytes} before the record at the offset. */
  private record Mark(long bytes, Kept at) {}

  /**
   * The lane has taken so many bytes of records.
   *
   * @param bytes never falls
   * @param at the next change, and the next record
   */
  void saw(long bytes, Kept at) {
    if (marks.isEmpty() || marks.getLast().bytes < bytes) {
      marks.add(new Mark(bytes, at));
    }
    if (marks.size() > MARKS_MAX) {
      boolean isForgotten = false;
      for (Iterator<Mark> each = marks.iterator(); each.hasNext(); isForgotten = !isForgotten) {
        Mark unused = each.next();
        if (isForgotten) {
          each.remove();
        }
      }
    }
  }

  /**
   * Where the newest {@code kept} bytes begin, or before; empty when the lane has not taken so many
   * bytes.
   */
  Optional<Kept> newest(long kept) {
    long end = marks.isEmpty() ? 0 : marks.getLast().bytes;
    Optional<Kept> found = Optional.empty();
    for (Mark mark : marks) {
      if (end - mark.bytes >= kept) {
        found = Optional.of(mark.at);
      }
    }
    return found;
  }
}
