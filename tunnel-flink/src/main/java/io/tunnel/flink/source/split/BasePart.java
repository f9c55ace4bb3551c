package io.tunnel.flink.source.split;

import io.tunnel.model.value.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The rows of a partition that a split still has to read, and what is known of those that it read.
 *
 * @param kind whether it has any, and what follows them
 * @param rows how many were read
 * @param key of the last one, as it is encoded; empty before the first
 * @param ranges at which positions the rows before the changes were read, as long as there may be
 *     changes that they have
 */
public record BasePart(Kind kind, long rows, Bytes key, List<RowRange> ranges) {

  /** No rows, or none any more. */
  public static final BasePart NONE = new BasePart(Kind.NONE, 0, Bytes.EMPTY, List.of());

  /** Rows, and what follows them. */
  public enum Kind {
    /** No rows: changes alone. */
    NONE,
    /** Rows, and then it ends. */
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

    /** The kind of that number, if there is one. */
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

  /** No rows any more; those that were read have changes that are still to come. */
  public static BasePart done(List<RowRange> ranges) {
    return ranges.isEmpty() ? NONE : new BasePart(Kind.NONE, 0, Bytes.EMPTY, ranges);
  }
}
