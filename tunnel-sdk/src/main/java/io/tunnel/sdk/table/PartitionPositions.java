package io.tunnel.sdk.table;

import java.util.Objects;
import java.util.Optional;

/**
 * Positions of a partition behind which a reader may begin, see {@link
 * io.tunnel.sdk.ReadStart#changes}.
 *
 * @param partition its id
 * @param earliest in front of the oldest change that is kept
 * @param latest of the change that was newest when the service looked
 * @param before in front of the first change of the moment that was asked for, or of a later one;
 *     absent when no moment was asked for
 * @param incarnation of these positions, as {@link io.tunnel.model.KnownPosition} has it; absent
 *     when the service does not say it
 */
public record PartitionPositions(
    int partition, long earliest, long latest, Optional<Long> before, Optional<Long> incarnation) {

  /** Positions whose incarnation is not known. */
  public PartitionPositions(int partition, long earliest, long latest, Optional<Long> before) {
    this(partition, earliest, latest, before, Optional.empty());
  }

  /** Refuses null and positions under 0. */
  public PartitionPositions {
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(incarnation, "incarnation");
    if (earliest < 0 || latest < 0 || before.orElse(0L) < 0) {
      throw new IllegalArgumentException(
          "positions are at least 0, not " + earliest + ", " + latest + " and " + before);
    }
  }
}
