package io.tunnel.flink.source.split;

import java.util.Objects;
import java.util.Optional;

/**
 * The end of a split's changes.
 *
 * @param position the last position, if known
 * @param ms ends before the first change committed at or after this moment, in milliseconds since
 *     1970
 */
public record SplitEnd(Optional<Long> position, Optional<Long> ms) {

  /** No end. */
  public static final SplitEnd NEVER = new SplitEnd(Optional.empty(), Optional.empty());

  /** Refuses null and positions under 0. */
  public SplitEnd {
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(ms, "ms");
    if (position.orElse(0L) < 0) {
      throw new IllegalArgumentException("changes end at positions from 0, not " + position);
    }
  }
}
