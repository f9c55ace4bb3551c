package io.tunnel.flink.source.split;

import io.tunnel.model.value.Bytes;
import java.util.Objects;

/**
 * Rows of a partition that were read at one position: the rows contain exactly the changes up to
 * the position. A range starts behind the previous range.
 *
 * @param upTo the encoded key of the last row; empty for the end of the partition
 * @param position the position of the read
 */
public record RowRange(Bytes upTo, long position) {

  /** Refuses null and positions under 0. */
  public RowRange {
    Objects.requireNonNull(upTo, "upTo");
    if (position < 0) {
      throw new IllegalArgumentException("rows are read at positions from 0, not " + position);
    }
  }

  boolean hasNoEnd() {
    return upTo.length() == 0;
  }

  boolean reaches(Bytes key) {
    return hasNoEnd() || upTo.compareTo(key) >= 0;
  }
}
