package io.tunnel.condition;

import io.tunnel.codec.Utf8;
import io.tunnel.model.Names;
import io.tunnel.model.value.ColumnValue;
import java.util.Objects;

/**
 * A column in a condition, and the conditions on it.
 *
 * @param of whose column
 * @param name the column's name
 */
public record NamedColumn(ColumnOf of, String name) implements Operand {

  /** Refuses null and names that no column can have. */
  public NamedColumn {
    Objects.requireNonNull(of, "of");
    Names.requireColumnName(name);
    var unused = Utf8.encode(name);
  }

  /** The column equals a value. */
  public Condition isEqualTo(ColumnValue value) {
    return compare(Operator.EQUAL, new Literal(value));
  }

  /** The column equals an INTEGER. */
  public Condition isEqualTo(long value) {
    return isEqualTo(ColumnValue.fromLong(value));
  }

  /** The column equals a STRING. */
  public Condition isEqualTo(String value) {
    return isEqualTo(ColumnValue.fromString(value));
  }

  /** The column equals a BOOLEAN. */
  public Condition isEqualTo(boolean value) {
    return isEqualTo(ColumnValue.fromBoolean(value));
  }

  /** The column equals another column. */
  public Condition isEqualTo(NamedColumn other) {
    return compare(Operator.EQUAL, other);
  }

  /** The column does not equal a value; holds where the column is missing. */
  public Condition isNotEqualTo(ColumnValue value) {
    return compare(Operator.NOT_EQUAL, new Literal(value));
  }

  /** The column does not equal an INTEGER; holds where the column is missing. */
  public Condition isNotEqualTo(long value) {
    return isNotEqualTo(ColumnValue.fromLong(value));
  }

  /** The column does not equal a STRING; holds where the column is missing. */
  public Condition isNotEqualTo(String value) {
    return isNotEqualTo(ColumnValue.fromString(value));
  }

  /** The column does not equal a BOOLEAN; holds where the column is missing. */
  public Condition isNotEqualTo(boolean value) {
    return isNotEqualTo(ColumnValue.fromBoolean(value));
  }

  /** The column does not equal another column; holds where one of the columns is missing. */
  public Condition isNotEqualTo(NamedColumn other) {
    return compare(Operator.NOT_EQUAL, other);
  }

  /** The column is less than a value. */
  public Condition isLessThan(ColumnValue value) {
    return compare(Operator.LESS, new Literal(value));
  }

  /** The column is less than an INTEGER. */
  public Condition isLessThan(long value) {
    return isLessThan(ColumnValue.fromLong(value));
  }

  /** The column is at most a value. */
  public Condition isAtMost(ColumnValue value) {
    return compare(Operator.AT_MOST, new Literal(value));
  }

  /** The column is at most an INTEGER. */
  public Condition isAtMost(long value) {
    return isAtMost(ColumnValue.fromLong(value));
  }

  /** The column is greater than a value. */
  public Condition isGreaterThan(ColumnValue value) {
    return compare(Operator.GREATER, new Literal(value));
  }

  /** The column is greater than an INTEGER. */
  public Condition isGreaterThan(long value) {
    return isGreaterThan(ColumnValue.fromLong(value));
  }

  /** The column is at least a value. */
  public Condition isAtLeast(ColumnValue value) {
    return compare(Operator.AT_LEAST, new Literal(value));
  }

  /** The column is at least an INTEGER. */
  public Condition isAtLeast(long value) {
    return isAtLeast(ColumnValue.fromLong(value));
  }

  /** The column is a STRING that begins with a text. */
  public Condition startsWith(String prefix) {
    return startsWith(ColumnValue.fromString(prefix));
  }

  /**
   * The column begins with a STRING or a BINARY.
   *
   * @throws IllegalArgumentException for a value of another type
   */
  public Condition startsWith(ColumnValue prefix) {
    return compare(Operator.STARTS_WITH, new Literal(prefix));
  }

  /** The column is not missing. */
  public Condition exists() {
    return new Condition.Exists(this);
  }

  /** Compares the column with a {@link Literal} or another column. */
  public Condition compare(Operator operator, Operand operand) {
    return new Condition.Comparison(this, operator, operand);
  }

  /** As a condition's text writes it. */
  @Override
  public String toString() {
    return ConditionText.column(this);
  }
}
