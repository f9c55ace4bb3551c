package io.tunnel.condition;

import io.tunnel.model.Names;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.ColumnType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Where a condition is evaluated. A place has the columns of the table's key, and columns of rows
 * or changes. A condition names a column of the key without a prefix, because no change alters the
 * key; columns of the key are never missing.
 *
 * @param key the columns of the table's key
 * @param columns whose columns the place has; a place with {@link ColumnOf#CHANGE} also has {@code
 *     change is}
 */
public record ConditionPlace(List<PrimaryKeySchema> key, Set<ColumnOf> columns) {

  /** Refuses null. */
  public ConditionPlace {
    key = List.copyOf(key);
    columns = Set.copyOf(columns);
  }

  /** Where there are stored rows and no changes: a scan, or a write before it is applied. */
  public static ConditionPlace ofRows(List<PrimaryKeySchema> key) {
    return new ConditionPlace(key, Set.of(ColumnOf.ROW));
  }

  /** Where there are changes, with the rows that they found and left. */
  public static ConditionPlace ofChanges(List<PrimaryKeySchema> key) {
    return new ConditionPlace(key, Set.of(ColumnOf.values()));
  }

  /**
   * Returns the condition.
   *
   * @throws IllegalArgumentException when the condition names what the place does not have, or
   *     compares a column of the key with what never compares with it
   */
  public Condition require(Condition condition) {
    if (condition instanceof Condition.All all) {
      all.parts().forEach(this::require);
    } else if (condition instanceof Condition.Any any) {
      any.parts().forEach(this::require);
    } else if (condition instanceof Condition.Not not) {
      var unused = require(not.part());
    } else if (condition instanceof Condition.Exists exists) {
      requireColumn(exists.column());
    } else if (condition instanceof Condition.Comparison comparison) {
      requireColumn(comparison.column());
      if (comparison.operand() instanceof NamedColumn column) {
        requireColumn(column);
      }
      requirePart(comparison);
    } else {
      requirePart(condition);
    }
    return condition;
  }

  void requireColumn(NamedColumn column) {
    if (!columns.contains(column.of())) {
      throw new IllegalArgumentException(
          "'"
              + column
              + "' is of a change, and here are rows without changes; write '"
              + new NamedColumn(ColumnOf.ROW, column.name())
              + "' for the column of the row");
    }
    if (column.of() != ColumnOf.ROW && keyIndex(column.name()) >= 0) {
      NamedColumn right = new NamedColumn(ColumnOf.ROW, column.name());
      throw new IllegalArgumentException(
          "'" + column + "': no change alters a column of the key; write '" + right + "'");
    }
  }

  /** Checks a comparison, but for its columns, or a {@code change is}. */
  void requirePart(Condition part) {
    if (part instanceof Condition.ChangeIs && !columns.contains(ColumnOf.CHANGE)) {
      throw new IllegalArgumentException(
          "'" + part + "' is of a change, and here are rows without changes");
    }
    if (part instanceof Condition.Comparison comparison) {
      requireComparable(comparison);
    }
  }

  private void requireComparable(Condition.Comparison comparison) {
    Optional<ColumnType> left = typeOf(comparison.column());
    Optional<ColumnType> right = typeOf(comparison.operand());
    if (left.isEmpty() || right.isEmpty()) {
      return;
    }
    boolean isNumbers = isNumber(left.get()) && isNumber(right.get());
    boolean compares =
        comparison.operator() == Operator.STARTS_WITH
            ? left.get() == right.get() && !isNumber(left.get())
            : left.get() == right.get() || isNumbers;
    if (!compares) {
      throw new IllegalArgumentException(
          "'"
              + comparison
              + "' compares the "
              + left.get()
              + " "
              + comparison.column()
              + " of the key with the "
              + right.get()
              + " "
              + ConditionText.operand(comparison.operand())
              + ", which never compare by '"
              + comparison.operator().text()
              + "'; the key is ("
              + keyText()
              + ")");
    }
  }

  private String keyText() {
    List<String> texts = new ArrayList<>();
    key.forEach(column -> texts.add(column.name() + " " + column.type()));
    return Names.listed(texts);
  }

  private static boolean isNumber(ColumnType type) {
    return type == ColumnType.INTEGER || type == ColumnType.DOUBLE;
  }

  /** The type of a value, or of a column of the key; other columns have any. */
  private Optional<ColumnType> typeOf(Operand operand) {
    if (operand instanceof Literal literal) {
      return Optional.of(literal.value().getType());
    }
    NamedColumn column = (NamedColumn) operand;
    int index = column.of() == ColumnOf.ROW ? keyIndex(column.name()) : -1;
    return index < 0
        ? Optional.empty()
        : Optional.of(ColumnType.valueOf(key.get(index).type().name()));
  }

  /** The index of a column of the key; -1 for another column. */
  public int keyIndex(String name) {
    Objects.requireNonNull(name, "name");
    for (int i = 0; i < key.size(); i++) {
      if (key.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
