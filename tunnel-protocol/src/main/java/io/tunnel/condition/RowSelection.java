package io.tunnel.condition;

import io.tunnel.codec.Utf8;
import io.tunnel.model.Limits;
import io.tunnel.model.Names;
import io.tunnel.model.PrimaryKeySchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which of the rows that a read finds are answered, and what of each row. The server filters and
 * cuts the rows, so other rows and columns do not travel.
 *
 * <pre>{@code
 * RowSelection open = RowSelection.ALL.where(Condition.parse("state = \"open\"")).withColumns("price");
 * }</pre>
 *
 * @param condition holds of each answered row; absent for all rows
 * @param columns the columns of an answered row, {@link Limits#ROW_COLUMNS_MAX} at most; absent for
 *     all columns, empty for none. The key comes with each row. A row without one of these columns
 *     is answered without it
 * @param hasCommitTimes whether each row comes with the time of its last change
 */
public record RowSelection(
    Optional<Condition> condition, Optional<List<String>> columns, boolean hasCommitTimes) {

  /** Complete rows, and all of them. */
  public static final RowSelection ALL =
      new RowSelection(Optional.empty(), Optional.empty(), false);

  /**
   * Refuses null.
   *
   * @throws IllegalArgumentException for too many columns, one that comes twice, or a name that no
   *     column can have
   */
  public RowSelection {
    columns = columns.map(List::copyOf);
    columns.ifPresent(RowSelection::requireNames);
  }

  private static void requireNames(List<String> names) {
    if (names.size() > Limits.ROW_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          names.size()
              + " columns are chosen; at most "
              + Limits.ROW_COLUMNS_MAX
              + " are allowed, as many as a row has");
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      Names.requireColumnName(name);
      var unused = Utf8.encode(name);
      if (!seen.add(name)) {
        throw new IllegalArgumentException(
            "column '" + name + "' is chosen twice; name each column once");
      }
    }
  }

  /** A copy whose rows also have {@code holds} of them. */
  public RowSelection where(Condition holds) {
    return new RowSelection(
        Optional.of(condition.map(before -> before.and(holds)).orElse(holds)),
        columns,
        hasCommitTimes);
  }

  /** A copy with only these columns of each row, and its key; without names, the key alone. */
  public RowSelection withColumns(String... names) {
    return withColumns(List.of(names));
  }

  /** A copy with only these columns of each row, and its key. */
  public RowSelection withColumns(List<String> names) {
    return new RowSelection(condition, Optional.of(names), hasCommitTimes);
  }

  /** A copy whose rows come with the time of their last change. */
  public RowSelection withCommitTimes() {
    return new RowSelection(condition, columns, true);
  }

  /**
   * Returns the selection.
   *
   * @throws IllegalArgumentException when rows of a table with this key cannot be selected so: the
   *     condition names a change, or compares a column of the key with what never compares with it;
   *     or a chosen column is one of the key
   */
  public RowSelection require(List<PrimaryKeySchema> key) {
    ConditionPlace place = ConditionPlace.ofRows(key);
    condition.ifPresent(place::require);
    for (String name : columns.orElse(List.of())) {
      if (place.keyIndex(name) >= 0) {
        List<String> names = new ArrayList<>();
        key.forEach(column -> names.add(column.name()));
        throw new IllegalArgumentException(
            "column '"
                + name
                + "' is chosen and is of the table's key ("
                + Names.listed(names)
                + "), which comes with each row; leave the column out");
      }
    }
    return this;
  }
}
