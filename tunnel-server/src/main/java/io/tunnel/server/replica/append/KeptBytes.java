package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.TrimCore.Kept;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Where the newest bytes of a partition's log begin, by marks that a lane leaves on its way. The
 * marks live in memory: after a start, only bytes that the lane has taken since are known, so a log
 * is rather kept too long.
 *
 * <p>Invariants: bytes, positions and offsets of the marks rise; marks are 1/{@value #MARKS} of the
 * kept bytes apart, at least; only the first mark can be before the kept bytes.
 */
final class KeptBytes {

  private static final int MARKS = 32;

  private final Deque<Mark> marks = new ArrayDeque<>();
  private long end;

  /** The log has {@code bytes} before the record at the offset. */
  private record Mark(long bytes, Kept at) {}

  /**
   * The lane has taken so many bytes of records.
   *
   * @param bytes never falls
   * @param at the next change, and the next record
   * @param kept bytes of changes that are kept; 0 for all
   */
  void saw(long bytes, Kept at, long kept) {
    end = bytes;
    if (kept == 0) {
      marks.clear();
      return;
    }
    if (marks.isEmpty() || bytes - marks.getLast().bytes >= Math.max(1, kept / MARKS)) {
      marks.add(new Mark(bytes, at));
    }
    while (marks.size() > 1 && isBeyond(second(), kept)) {
      marks.removeFirst();
    }
  }

  private Mark second() {
    return marks.stream().skip(1).findFirst().orElseThrow();
  }

  private boolean isBeyond(Mark mark, long kept) {
    return end - mark.bytes >= kept;
  }

  /**
   * Where the newest {@code kept} bytes begin, or before; empty when all are kept, and when the
   * lane has not taken so many bytes.
   */
  Optional<Kept> newest(long kept) {
    return kept > 0 && !marks.isEmpty() && isBeyond(marks.getFirst(), kept)
        ? Optional.of(marks.getFirst().at)
        : Optional.empty();
  }

  /** How many marks are remembered. */
  int count() {
    return marks.size();
  }
}
