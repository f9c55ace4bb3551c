package io.tunnel.server.changes;

import java.util.Objects;
import java.util.Optional;

/**
 * The begin and end of a partition's log.
 *
 * @param first position from which on all changes are kept
 * @param last position of the newest record, a change or not; 0 when there is none
 * @param incarnation incarnation of the positions up to {@code last}, if the log tells it
 */
public record Bounds(long first, long last, Optional<Long> incarnation) {

  /** Bounds without an incarnation. */
  public Bounds(long first, long last) {
    this(first, last, Optional.empty());
  }

  /** Refuses null and negative positions. */
  public Bounds {
    Objects.requireNonNull(incarnation, "incarnation");
    if (first < 0 || last < 0) {
      throw new IllegalArgumentException("a log from " + first + " to " + last);
    }
  }
}
