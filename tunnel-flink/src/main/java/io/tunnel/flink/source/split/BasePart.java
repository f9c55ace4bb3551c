package io.tunnel.flink.source.split;

import io.tunnel.model.value.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The base data of a split: the progress in its rows, and the positions at which they were read.
 *
 * @param kind whether the split has rows, and whether changes follow
 * @param rows the number of rows read so far
 * @param key the encoded key of the last row; empty before the first row
 * @param ranges the positions at which rows before changes were read, while later changes may be
 *     contained in rows
 */
public record BasePart(Kind kind, long rows, Bytes key, List<RowRange> ranges) {

  /** No rows, or no rows left. */
  public static final BasePart NONE = new BasePart(Kind.NONE, 0, Bytes.EMPTY, List.of());

  /** Whether a split has rows, and whether changes follow. */
  public enum Kind {
    /** Only changes. */
    NONE,
    /** Only rows. */
    ALONE,
    /** Rows, and then changes. */
    BEFORE_CHANGES;

    /** The number in checkpoints, which never changes. */
    int code() {
      return switch (this) {
        case NONE -> 0;
        case ALONE -> 1;
        case BEFORE_CHANGES -> 2;
      };
    }

    /** The kind with a code, if any. */
    static Optional<Kind> of(int code) {
      return Arrays.stream(values()).filter(kind -> kind.code() == code).findFirst();
    }
  }

  /** Refuses null and a count under 0. */
  public BasePart {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(key, "key");
    ranges = List.copyOf(ranges);
    if (rows < 0) {
      throw new IllegalArgumentException("rows read are at least 0, not " + rows);
    }
  }

  /** All rows. */
  public static BasePart all(Kind kind) {
    return new BasePart(kind, 0, Bytes.EMPTY, List.of());
  }

  /** No rows left; the read rows contain some of the later changes. */
  public static BasePart done(List<RowRange> ranges) {
    return ranges.isEmpty() ? NONE : new BasePart(Kind.NONE, 0, Bytes.EMPTY, ranges);
  }
}
