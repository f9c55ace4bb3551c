package io.tunnel.sdk;

import io.tunnel.model.Direction;
import io.tunnel.model.PrimaryKey;
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
 * @param mode how sure each page is to see what others were told before it was asked for
 */
public record RangeQuery(
    Direction direction,
    Optional<PrimaryKey> from,
    Optional<PrimaryKey> to,
    int pageRows,
    long limit,
    ReadMode mode) {

  /** Every row, in key order. */
  public static final RangeQuery ALL =
      new RangeQuery(Direction.FORWARD, Optional.empty(), Optional.empty(), 5_000, Long.MAX_VALUE);

  /** Rows as their leaders have them. */
  public RangeQuery(
      Direction direction,
      Optional<PrimaryKey> from,
      Optional<PrimaryKey> to,
      int pageRows,
      long limit) {
    this(direction, from, to, pageRows, limit, ReadMode.BOUNDED);
  }

  /** Refuses null, pages of no rows and negative limits. */
  public RangeQuery {
    Objects.requireNonNull(direction, "direction");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(mode, "mode");
    if (pageRows < 1) {
      throw new IllegalArgumentException("pageRows is at least 1, not " + pageRows);
    }
    if (limit < 0) {
      throw new IllegalArgumentException("limit is at least 0, not " + limit);
    }
  }

  /** A copy that reads from the highest key down. */
  public RangeQuery backward() {
    return new RangeQuery(Direction.BACKWARD, from, to, pageRows, limit, mode);
  }

  /** A copy with that lowest key, inclusive. */
  public RangeQuery from(PrimaryKey key) {
    return new RangeQuery(direction, Optional.of(key), to, pageRows, limit, mode);
  }

  /** A copy with that highest key, exclusive. */
  public RangeQuery to(PrimaryKey key) {
    return new RangeQuery(direction, from, Optional.of(key), pageRows, limit, mode);
  }

  /** A copy that fetches that many rows per request. */
  public RangeQuery withPageRows(int rows) {
    return new RangeQuery(direction, from, to, rows, limit, mode);
  }

  /** A copy that ends after that many rows. */
  public RangeQuery withLimit(long rows) {
    return new RangeQuery(direction, from, to, pageRows, rows, mode);
  }

  /** A copy that reads in that mode. */
  public RangeQuery withMode(ReadMode newMode) {
    return new RangeQuery(direction, from, to, pageRows, limit, newMode);
  }
}
