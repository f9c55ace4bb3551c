package io.tunnel.model;

import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The key of a row: 1 to {@value Limits#KEY_COLUMNS_MAX} columns in the order of the table's
 * schema. The first column is the partition key: it alone decides which partition holds the row.
 * Accessors are named as Tablestore's SDK names them.
 */
public final class PrimaryKey {

  private final List<PrimaryKeyColumn> columns;

  /** Refuses an empty key, one with too many columns, and one that names a column twice. */
  public PrimaryKey(List<PrimaryKeyColumn> columns) {
    this.columns = List.copyOf(columns);
    if (columns.isEmpty() || columns.size() > Limits.KEY_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "a primary key has 1 to " + Limits.KEY_COLUMNS_MAX + " columns, not " + columns.size());
    }
    for (int i = 1; i < columns.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (columns.get(i).getName().equals(columns.get(j).getName())) {
          throw new IllegalArgumentException(
              "primary-key column '" + columns.get(i).getName() + "' is named twice");
        }
      }
    }
  }

  /** A key of these columns. */
  public static PrimaryKey of(PrimaryKeyColumn... columns) {
    return new PrimaryKey(List.of(columns));
  }

  /** Starts a key that is given column by column. */
  public static Builder builder() {
    return new Builder();
  }

  /** The columns in the order of the table's schema. */
  public List<PrimaryKeyColumn> getPrimaryKeyColumns() {
    return columns;
  }

  /** The column of that name, or null when the key has none. */
  public PrimaryKeyColumn getPrimaryKeyColumn(String name) {
    for (PrimaryKeyColumn column : columns) {
      if (column.getName().equals(name)) {
        return column;
      }
    }
    return null;
  }

  /** The column at {@code index}, 0 being the partition key. */
  public PrimaryKeyColumn getPrimaryKeyColumn(int index) {
    return columns.get(index);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PrimaryKey that && columns.equals(that.columns);
  }

  @Override
  public int hashCode() {
    return columns.hashCode();
  }

  @Override
  public String toString() {
    return columns.stream()
        .map(PrimaryKeyColumn::toString)
        .collect(Collectors.joining(", ", "(", ")"));
  }

  /** Collects the columns of a key in order. */
  public static final class Builder {

    private final List<PrimaryKeyColumn> columns = new ArrayList<>(Limits.KEY_COLUMNS_MAX);

    private Builder() {}

    /** Adds an INTEGER column. */
    public Builder add(String name, long value) {
      return add(name, PrimaryKeyValue.fromLong(value));
    }

    /** Adds a STRING column. */
    public Builder add(String name, String value) {
      return add(name, PrimaryKeyValue.fromString(value));
    }

    /** Adds a BINARY column; the bytes are copied. */
    public Builder add(String name, byte[] value) {
      return add(name, PrimaryKeyValue.fromBinary(value));
    }

    /** Adds a column. */
    public Builder add(String name, PrimaryKeyValue value) {
      columns.add(new PrimaryKeyColumn(name, value));
      return this;
    }

    /** The key. */
    public PrimaryKey build() {
      return new PrimaryKey(columns);
    }
  }
}
