package io.tunnel.sdk;

import io.tunnel.model.Direction;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import java.util.Objects;
import java.util.Optional;

/**
 * A range of rows to read. A bound may be partial: it names only the first columns of the key, and
 * sorts before every key that begins with these columns. A range from a key to the equal key has no
 * rows; a range from a higher key to a lower key is refused, in both directions.
 *
 * @param direction upwards from the lowest key, or downwards from the highest
 * @param from the lowest key, inclusive, in both directions; absent for no bound
 * @param to the highest key, exclusive, in both directions; absent for no bound
 * @param pageRows the most rows per request, 1 to {@link Limits#PAGE_ROWS_MAX} (5,000)
 * @param limit the most rows to read
 * @param mode which acknowledged writes each page is sure to contain
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

  /** A query in the mode {@link ReadMode#BOUNDED}. */
  public RangeQuery(
      Direction direction,
      Optional<PrimaryKey> from,
      Optional<PrimaryKey> to,
      int pageRows,
      long limit) {
    this(direction, from, to, pageRows, limit, ReadMode.BOUNDED);
  }

  /** Refuses null, empty pages and negative limits. */
  public RangeQuery {
    Objects.requireNonNull(direction, "direction");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(mode, "mode");
    if (pageRows < 1 || pageRows > Limits.PAGE_ROWS_MAX) {
      throw new IllegalArgumentException(
          "pageRows is 1 to " + Limits.PAGE_ROWS_MAX + ", not " + pageRows);
    }
    if (limit < 0) {
      throw new IllegalArgumentException("limit is at least 0, not " + limit);
    }
  }

  /** A copy that reads from the highest key down. */
  public RangeQuery backward() {
    return new RangeQuery(Direction.BACKWARD, from, to, pageRows, limit, mode);
  }

  /** A copy with another lowest key, inclusive. */
  public RangeQuery from(PrimaryKey key) {
    return new RangeQuery(direction, Optional.of(key), to, pageRows, limit, mode);
  }

  /** A copy with another highest key, exclusive. */
  public RangeQuery to(PrimaryKey key) {
    return new RangeQuery(direction, from, Optional.of(key), pageRows, limit, mode);
  }

  /** A copy that fetches {@code rows} rows per request. */
  public RangeQuery withPageRows(int rows) {
    return new RangeQuery(direction, from, to, rows, limit, mode);
  }

  /** A copy that ends after {@code rows} rows. */
  public RangeQuery withLimit(long rows) {
    return new RangeQuery(direction, from, to, pageRows, rows, mode);
  }

  /** A copy with another mode. */
  public RangeQuery withMode(ReadMode newMode) {
    return new RangeQuery(direction, from, to, pageRows, limit, newMode);
  }
}
