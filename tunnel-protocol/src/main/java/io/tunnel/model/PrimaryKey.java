package io.tunnel.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The key of a row: 1 to {@value Limits#KEY_COLUMNS_MAX} columns in the order of the table's
 * schema. The first column is the partition key: it alone decides which partition holds the row.
 */
public record PrimaryKey(List<PrimaryKeyColumn> columns) {

  /** Refuses an empty key, one with too many columns, and one that names a column twice. */
  public PrimaryKey {
    columns = List.copyOf(columns);
    if (columns.isEmpty() || columns.size() > Limits.KEY_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "a primary key has 1 to " + Limits.KEY_COLUMNS_MAX + " columns, not " + columns.size());
    }
    for (int i = 1; i < columns.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (columns.get(i).name().equals(columns.get(j).name())) {
          throw new IllegalArgumentException(
              "primary-key column '" + columns.get(i).name() + "' is named twice");
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

  /** The columns, as Tablestore's SDK calls them. */
  public List<PrimaryKeyColumn> getPrimaryKeyColumns() {
    return columns;
  }

  /** The column of that name, or null when the key has none. */
  public PrimaryKeyColumn getPrimaryKeyColumn(String name) {
    for (PrimaryKeyColumn column : columns) {
      if (column.name().equals(name)) {
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
  public String toString() {
    return columns.stream()
        .map(column -> column.name() + "=" + column.value())
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
