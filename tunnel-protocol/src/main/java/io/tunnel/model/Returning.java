package io.tunnel.model;

import io.tunnel.codec.Utf8;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What the result of a change has in addition to the outcome: the key of the row and some of its
 * columns. The server takes the columns where it evaluates the change, so no other write comes
 * between the change and the returned columns.
 *
 * <pre>{@code
 * RowChange drawn = new RowUpdateChange(key, List.of(new ColumnUpdate.Increment("last", 1)))
 *     .returning(Returning.columns("last"));
 * }</pre>
 *
 * <p>A row that is applied returns the columns as the change leaves them. A row that is refused
 * because of its stored row returns the columns of the stored row. Named columns take the right
 * {@code read} in addition to {@code write}; the key alone does not.
 *
 * @param columns names of columns that are not of the key, {@link Limits#ROW_COLUMNS_MAX} at most;
 *     none for the key alone
 * @param when which rows return them
 */
public record Returning(List<String> columns, When when) {

  /** The key alone, with what the server has chosen of the key. */
  public static final Returning KEY = new Returning(List.of(), When.ALWAYS);

  /** Which rows return their columns. */
  public enum When {
    /** Applied rows, and rows that are refused because of their columns or their existence. */
    ALWAYS,
    /** Only rows that are refused because of their columns or their existence. */
    REFUSED
  }

  /**
   * Refuses null.
   *
   * @throws IllegalArgumentException for too many columns, one that comes twice, or a name that no
   *     column can have
   */
  public Returning {
    columns = List.copyOf(columns);
    Objects.requireNonNull(when, "when");
    if (columns.size() > Limits.ROW_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          columns.size()
              + " columns are to be returned; at most "
              + Limits.ROW_COLUMNS_MAX
              + " are possible, as many as a row has");
    }
    Set<String> seen = new HashSet<>();
    for (String name : columns) {
      Names.requireColumnName(name);
      var unused = Utf8.encode(name);
      if (!seen.add(name)) {
        throw new IllegalArgumentException(
            "column '" + name + "' is to be returned twice; name each column once");
      }
    }
  }

  /** The key and these columns. */
  public static Returning columns(String... names) {
    return columns(List.of(names));
  }

  /** The key and these columns. */
  public static Returning columns(List<String> names) {
    return new Returning(names, When.ALWAYS);
  }

  /** A copy for refused rows; an applied row returns nothing. */
  public Returning whenRefused() {
    return new Returning(columns, When.REFUSED);
  }

  /** Whether a row of this outcome returns anything. */
  public boolean isOf(boolean isApplied) {
    return when == When.ALWAYS || !isApplied;
  }

  /**
   * Returns this.
   *
   * @throws IllegalArgumentException when a column is one of the key
   */
  public Returning require(List<PrimaryKeySchema> key) {
    for (PrimaryKeySchema column : key) {
      if (columns.contains(column.name())) {
        throw new IllegalArgumentException(
            "column '"
                + column.name()
                + "' is to be returned and is of the table's key, which comes with each row; leave"
                + " the column out");
      }
    }
    return this;
  }
}
