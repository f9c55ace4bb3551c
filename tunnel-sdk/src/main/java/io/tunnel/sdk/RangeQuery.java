package io.tunnel.sdk;

import io.tunnel.model.PrimaryKey;
import io.tunnel.wire.Direction;
import java.util.Objects;
import java.util.Optional;

/**
 * Which rows to read, and how. A bound may be partial: it names the first columns of the key, and
 * sorts before every key that begins with them.
 *
 * @param direction from the lowest key up, or from the highest down
 * @param from the lowest key, inclusive, whatever the direction; absent for an open end
 * @param to the highest key, exclusive, whatever the direction; absent for an open end
 * @param pageRows rows fetched per request at most; the server has a limit of its own (5,000)
 * @param limit rows read at most
 */
public record RangeQuery(
    Direction direction,
    Optional<PrimaryKey> from,
    Optional<PrimaryKey> to,
    int pageRows,
    long limit) {

  /** Every row, in key order. */
  public static final RangeQuery ALL =
      new RangeQuery(Direction.FORWARD, Optional.empty(), Optional.empty(), 5_000, Long.MAX_VALUE);

  /** Refuses null, pages of no rows and negative limits. */
  public RangeQuery {
    Objects.requireNonNull(direction, "direction");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    if (pageRows < 1) {
      throw new IllegalArgumentException("pageRows is at least 1, not " + pageRows);
    }
    if (limit < 0) {
      throw new IllegalArgumentException("limit is at least 0, not " + limit);
    }
  }

  /** A copy that reads from the highest key down. */
  public RangeQuery backward() {
    return new RangeQuery(Direction.BACKWARD, from, to, pageRows, limit);
  }

  /** A copy with that lowest key, inclusive. */
  public RangeQuery from(PrimaryKey key) {
    return new RangeQuery(direction, Optional.of(key), to, pageRows, limit);
  }

  /** A copy with that highest key, exclusive. */
  public RangeQuery to(PrimaryKey key) {
    return new RangeQuery(direction, from, Optional.of(key), pageRows, limit);
  }

  /** A copy that fetches that many rows per request. */
  public RangeQuery withPageRows(int rows) {
    return new RangeQuery(direction, from, to, rows, limit);
  }

  /** A copy that ends after that many rows. */
  public RangeQuery withLimit(long rows) {
    return new RangeQuery(direction, from, to, pageRows, rows);
  }
}
