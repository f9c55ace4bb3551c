package io.tunnel.stress;

import io.tunnel.stress.rows.RowSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a run sends, and for how long: until the sources end, the rows are sent or the time is over,
 * whichever comes first.
 *
 * @param sources one per sender
 * @param rows rows of all senders together; empty for as many as there are
 * @param duration how long rows are sent; empty for as long as there are any
 * @param rowsPerSecond the rate of all senders together; empty for as fast as the server takes them
 */
public record LoadPlan(
    List<RowSource> sources,
    OptionalLong rows,
    Optional<Duration> duration,
    OptionalLong rowsPerSecond) {

  /** Refuses a plan without sources, and limits under 1. */
  public LoadPlan {
    sources = List.copyOf(sources);
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("a run has at least 1 sender");
    }
    if (rows.isPresent() && rows.getAsLong() < 1) {
      throw new IllegalArgumentException("a run has at least 1 row, not " + rows.getAsLong());
    }
    if (duration.isPresent() && (duration.get().isNegative() || duration.get().isZero())) {
      throw new IllegalArgumentException("a run lasts longer than " + duration.get());
    }
  }

  /** How many rows sender number {@code sender} sends: an even share. */
  long rowsOf(int sender) {
    if (rows.isEmpty()) {
      return Long.MAX_VALUE;
    }
    long all = rows.getAsLong();
    return all / sources.size() + (sender < all % sources.size() ? 1 : 0);
  }
}
