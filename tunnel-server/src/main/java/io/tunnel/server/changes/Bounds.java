package io.tunnel.server.changes;

import java.util.Objects;
import java.util.Optional;

/**
 * Where the log of one partition begins and ends.
 *
 * @param first position from which on all changes are kept
 * @param last position of the newest record, whether it is a change or not; 0 when there is none
 * @param incarnation of the positions up to {@code last}, if the log tells it
 */
public record Bounds(long first, long last, Optional<Long> incarnation) {

  /** Of positions whose incarnation is not told. */
  public Bounds(long first, long last) {
    this(first, last, Optional.empty());
  }

  /** Refuses null, and positions that cannot be. */
  public Bounds {
    Objects.requireNonNull(incarnation, "incarnation");
    if (first < 0 || last < 0) {
      throw new IllegalArgumentException("a log from " + first + " to " + last);
    }
  }
}
