package io.tunnel.sdk.table;

import java.util.Objects;
import java.util.Optional;

/**
 * Positions of a partition to start a reader behind, see {@link io.tunnel.sdk.ReadStart#changes}.
 *
 * @param partition the id of the partition
 * @param earliest the position before the oldest kept change
 * @param latest the position of the newest change at the time of the answer
 * @param before the position before the first change at or after the requested moment; absent if
 *     the request named no moment
 * @param incarnation the incarnation of these positions, see {@link io.tunnel.model.KnownPosition};
 *     absent when unknown
 */
public record PartitionPositions(
    int partition, long earliest, long latest, Optional<Long> before, Optional<Long> incarnation) {

  /** Positions without an incarnation. */
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
