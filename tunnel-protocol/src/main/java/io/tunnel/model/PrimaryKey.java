package io.tunnel.model;

import io.tunnel.model.value.PrimaryKeyValue;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.RandomAccess;
import java.util.stream.Collectors;

/**
 * The key of a row: 1 to {@value Limits#KEY_COLUMNS_MAX} columns in the order of the table's
 * schema. The first column is the partition key: it alone decides the partition of the row.
 * Accessors have the names of Tablestore's SDK.
 */
public final class PrimaryKey {

  private final List<PrimaryKeyColumn> columns;

  /** Refuses no columns, too many columns, and a duplicate name. */
  public PrimaryKey(List<PrimaryKeyColumn> columns) {
    this.columns = List.copyOf(columns);
    requireColumnCount(columns.size());
    for (int i = 1; i < columns.size(); i++) {
      for (int j = 0; j < i; j++) {
        requireDistinct(columns.get(i).getName(), columns.get(j).getName());
      }
    }
  }

  private PrimaryKey(ShapedColumns columns) {
    this.columns = columns;
  }

  private static void requireColumnCount(int count) {
    if (count == 0 || count > Limits.KEY_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "a primary key has 1 to " + Limits.KEY_COLUMNS_MAX + " columns, not " + count);
    }
  }

  private static void requireDistinct(String name, String other) {
    if (name.equals(other)) {
      throw new IllegalArgumentException("primary-key column '" + name + "' is named twice");
    }
  }

  /** A key of these columns. */
  public static PrimaryKey of(PrimaryKeyColumn... columns) {
    return new PrimaryKey(List.of(columns));
  }

  /** Starts a key to build column by column. */
  public static Builder builder() {
    return new Builder();
  }

  /** The columns in the order of the table's schema. */
  public List<PrimaryKeyColumn> getPrimaryKeyColumns() {
    return columns;
  }

  /** The column with a name, or null. */
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

  /** The columns by name, in the order of the table's schema. */
  public Map<String, PrimaryKeyColumn> getPrimaryKeyColumnsMap() {
    Map<String, PrimaryKeyColumn> byName = new LinkedHashMap<>();
    for (PrimaryKeyColumn column : columns) {
      byName.put(column.getName(), column);
    }
    return Collections.unmodifiableMap(byName);
  }

  /** Whether the key has a column with a name. */
  public boolean contains(String name) {
    return getPrimaryKeyColumn(name) != null;
  }

  /** Whether the server is to choose the value of a column, see {@link PrimaryKeyValue#auto}. */
  public boolean isToBeNumbered() {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).getValue().isAuto()) {
        return true;
      }
    }
    return false;
  }

  /** The key with the number that the server has chosen. */
  public PrimaryKey numbered(long number) {
    List<PrimaryKeyColumn> whole = new ArrayList<>(columns.size());
    for (PrimaryKeyColumn column : columns) {
      whole.add(
          column.getValue().isAuto()
              ? new PrimaryKeyColumn(column.getName(), PrimaryKeyValue.fromLong(number))
              : column);
    }
    return new PrimaryKey(whole);
  }

  /** How many columns the key has. */
  public int size() {
    return columns.size();
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

    /** Adds a column whose number the server chooses, see {@link PrimaryKeyValue#auto}. */
    public Builder auto(String name) {
      return add(name, PrimaryKeyValue.auto());
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

  /**
   * The columns of a table's keys. The names are checked once for many keys: a reader makes keys
   * from values without checking names again.
   */
  public static final class Shape {

    private final PrimaryKeySchema[] columns;

    /** Refuses columns that no key can have. */
    public Shape(List<PrimaryKeySchema> columns) {
      this.columns = columns.toArray(PrimaryKeySchema[]::new);
      requireColumnCount(this.columns.length);
      for (int i = 1; i < this.columns.length; i++) {
        for (int j = 0; j < i; j++) {
          requireDistinct(this.columns[i].name(), this.columns[j].name());
        }
      }
    }

    /**
     * A key with values of the columns' types. The key owns the array, which must not change: this
     * saves a copy for every row of a reader.
     */
    public PrimaryKey key(PrimaryKeyValue[] values) {
      if (values.length != columns.length) {
        throw new IllegalArgumentException(
            values.length + " values for a key of " + columns.length + " columns");
      }
      return new PrimaryKey(new ShapedColumns(columns, values));
    }
  }

  /** Creates columns on access, from checked names and values. */
  private static final class ShapedColumns extends AbstractList<PrimaryKeyColumn>
      implements RandomAccess {

    private final PrimaryKeySchema[] columns;
    private final PrimaryKeyValue[] values;

    private ShapedColumns(PrimaryKeySchema[] columns, PrimaryKeyValue[] values) {
      this.columns = columns;
      this.values = values;
    }

    @Override
    public PrimaryKeyColumn get(int index) {
      return PrimaryKeyColumn.checked(columns[index].name(), values[index]);
    }

    @Override
    public int size() {
      return values.length;
    }

    /** A separate class, so that the compiler can inline it and avoid creating columns. */
    @Override
    public Iterator<PrimaryKeyColumn> iterator() {
      return new Walk(this);
    }
  }

  private static final class Walk implements Iterator<PrimaryKeyColumn> {

    private final ShapedColumns columns;
    private int at;

    private Walk(ShapedColumns columns) {
      this.columns = columns;
    }

    @Override
    public boolean hasNext() {
      return at < columns.values.length;
    }

    @Override
    public PrimaryKeyColumn next() {
      if (at == columns.values.length) {
        throw new NoSuchElementException("a key of " + at + " columns");
      }
      return columns.get(at++);
    }
  }
}
