package io.tunnel.flink.source.split;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Which changes behind a split's position its rows have already. Rows are read page by page while
 * the table is written to, each page at a position that is known; so of every key, whether it had a
 * row or not, it is known at which position it was looked at, and a change up to there is in what
 * was seen.
 *
 * <p>What must hold: the ranges lie in the order of keys, without gaps from the lowest key on;
 * their positions rise; none follows one without an end.
 */
final class OverlapCore {

  /**
   * Ranges of one split. The service reads pages of ten seconds at one position, so that these are
   * the rows of a week and a half.
   */
  static final int RANGES_MAX = 100_000;

  private final List<RowRange> ranges = new ArrayList<>();

  OverlapCore(List<RowRange> known) {
    known.forEach(this::add);
  }

  private void add(RowRange range) {
    if (!ranges.isEmpty()) {
      RowRange last = ranges.get(ranges.size() - 1);
      boolean isBehind = range.hasNoEnd() || range.upTo().compareTo(last.upTo()) > 0;
      if (last.hasNoEnd() || !isBehind || range.position() < last.position()) {
        throw new IllegalStateException("rows " + range + " were read behind " + last);
      }
      if (range.position() == last.position()) {
        ranges.remove(ranges.size() - 1);
      }
    }
    if (ranges.size() == RANGES_MAX) {
      throw new IllegalStateException(
          "the rows of a partition were read at more than " + RANGES_MAX + " positions");
    }
    ranges.add(range);
  }

  /** The rows behind those of before, up to a key, were read at a position. */
  void read(Bytes upTo, long position) {
    add(new RowRange(upTo, position));
  }

  /** There were no more rows behind those of before, at that position. */
  void ended(long position) {
    add(new RowRange(Bytes.EMPTY, position));
  }

  /** Whether what was seen of a key has the change at a position. */
  boolean has(Bytes key, long position) {
    int low = 0;
    int high = ranges.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges.get(middle).reaches(key)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low < ranges.size() && position <= ranges.get(low).position();
  }

  /** No change behind this position is in any row. */
  long last() {
    return ranges.isEmpty() ? 0 : ranges.get(ranges.size() - 1).position();
  }

  /** All of it, for a checkpoint. */
  List<RowRange> ranges() {
    return List.copyOf(ranges);
  }
}
