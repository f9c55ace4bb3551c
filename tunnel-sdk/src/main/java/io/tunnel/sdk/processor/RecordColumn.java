package io.tunnel.sdk.processor;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** A change of one column: a new value, or its removal. */
public final class RecordColumn {

  /** Kinds of column changes. */
  public enum ColumnType {
    /** Sets the column. */
    PUT,
    /** Removes one version of the column; never occurs, because columns have one version. */
    DELETE_ONE_VERSION,
    /** Removes the column. */
    DELETE_ALL_VERSION
  }

  private final String name;

  /** The new value; null when the change removes the column. */
  private final ColumnValue value;

  /** What an increment added; null for every other change. */
  private final Long delta;

  RecordColumn(String name, ColumnValue value, Long delta) {
    this.name = name;
    this.value = value;
    this.delta = delta;
  }

  /** A change that sets the column. */
  public static RecordColumn put(Column column) {
    return new RecordColumn(column.getName(), column.getValue(), null);
  }

  /** A change that added {@code delta} to the column, which now has the value. */
  public static RecordColumn added(Column column, long delta) {
    return new RecordColumn(column.getName(), column.getValue(), delta);
  }

  /** A change that removes the column. */
  public static RecordColumn deleted(String name) {
    return new RecordColumn(Objects.requireNonNull(name, "name"), null, null);
  }

  /** Name of the column. */
  public String name() {
    return name;
  }

  /** Name and value; a removed column has no value, so check {@link #getColumnType} first. */
  public Column getColumn() {
    return value == null ? Column.removed(name) : new Column(name, value);
  }

  /** Kind of the change. */
  public ColumnType getColumnType() {
    return value == null ? ColumnType.DELETE_ALL_VERSION : ColumnType.PUT;
  }

  /**
   * What an increment added to reach the new value; empty for a value that the writer set, and for
   * a removal.
   */
  public Optional<Long> delta() {
    return Optional.ofNullable(delta);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordColumn that
        && name.equals(that.name)
        && Objects.equals(value, that.value)
        && Objects.equals(delta, that.delta);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, value, delta);
  }

  @Override
  public String toString() {
    if (value == null) {
      return "-" + name;
    }
    return name + "=" + value + (delta == null ? "" : String.format(Locale.ROOT, " (%+d)", delta));
  }
}
