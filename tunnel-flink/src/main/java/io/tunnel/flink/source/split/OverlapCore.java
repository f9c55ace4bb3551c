package io.tunnel.flink.source.split;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which changes behind a split's position are already contained in its rows. Rows are read
 * page by page while the table is written, each page at a known position. So for every key, even
 * without a row, the position of the read is known, and the read contains all changes up to it.
 *
 * <p>Invariants: the ranges are in the order of keys, without gaps from the lowest key on; their
 * positions rise; no range follows a range without an end.
 */
final class OverlapCore {

  /**
   * The most ranges of a split. The service reads the pages of ten seconds at one position, so the
   * limit is enough for a week and a half.
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

  /** Notes that the next rows, up to a key, were read at a position. */
  void read(Bytes upTo, long position) {
    add(new RowRange(upTo, position));
  }

  /** Notes that there were no further rows at a position. */
  void ended(long position) {
    add(new RowRange(Bytes.EMPTY, position));
  }

  /** Whether the read of a key contains the change at a position. */
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

  /** The last position whose change may be contained in a row. */
  long last() {
    return ranges.isEmpty() ? 0 : ranges.get(ranges.size() - 1).position();
  }

  /** All ranges, for a checkpoint. */
  List<RowRange> ranges() {
    return List.copyOf(ranges);
  }
}
