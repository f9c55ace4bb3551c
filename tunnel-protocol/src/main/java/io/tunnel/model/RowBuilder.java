package io.tunnel.model;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects a key and columns, and makes a key, a row or a change of them. {@link Row#key} begins a
 * builder:
 *
 * <pre>{@code
 * Row.key("id", 7).set("name", "Ada").put()
 * Row.key("owner", "Ada").key("account", "savings").add("balance", -50).update()
 * Row.key("id", 7).delete()
 * }</pre>
 *
 * <p>A builder may make several results. For one thread.
 */
public final class RowBuilder {

  private final PrimaryKey.Builder key = PrimaryKey.builder();
  private final List<ColumnUpdate> updates = new ArrayList<>();

  RowBuilder() {}

  /** The next INTEGER column of the key. */
  public RowBuilder key(String name, long value) {
    return key(name, PrimaryKeyValue.fromLong(value));
  }

  /** The next STRING column of the key. */
  public RowBuilder key(String name, String value) {
    return key(name, PrimaryKeyValue.fromString(value));
  }

  /** The next BINARY column of the key; the bytes are copied. */
  public RowBuilder key(String name, byte[] value) {
    return key(name, PrimaryKeyValue.fromBinary(value));
  }

  /** The next column of the key. */
  public RowBuilder key(String name, PrimaryKeyValue value) {
    key.add(name, value);
    return this;
  }

  /** The next column of the key, whose number the server chooses: {@link PrimaryKeyValue#auto}. */
  public RowBuilder auto(String name) {
    return key(name, PrimaryKeyValue.auto());
  }

  /** Sets an INTEGER column. */
  public RowBuilder set(String column, long value) {
    return set(column, ColumnValue.fromLong(value));
  }

  /** Sets a DOUBLE column. */
  public RowBuilder set(String column, double value) {
    return set(column, ColumnValue.fromDouble(value));
  }

  /** Sets a BOOLEAN column. */
  public RowBuilder set(String column, boolean value) {
    return set(column, ColumnValue.fromBoolean(value));
  }

  /** Sets a STRING column. */
  public RowBuilder set(String column, String value) {
    return set(column, ColumnValue.fromString(value));
  }

  /** Sets a BINARY column; the bytes are copied. */
  public RowBuilder set(String column, byte[] value) {
    return set(column, ColumnValue.fromBinary(value));
  }

  /** Sets a column. */
  public RowBuilder set(String column, ColumnValue value) {
    updates.add(new ColumnUpdate.Put(column, value));
    return this;
  }

  /** Adds to an INTEGER column, in an update alone: {@link ColumnUpdate.Increment}. */
  public RowBuilder add(String column, long delta) {
    updates.add(new ColumnUpdate.Increment(column, delta));
    return this;
  }

  /** Removes a column, in an update alone. */
  public RowBuilder remove(String column) {
    updates.add(new ColumnUpdate.Delete(column));
    return this;
  }

  /** The key. */
  public PrimaryKey primaryKey() {
    return key.build();
  }

  /**
   * The row.
   *
   * @throws IllegalStateException when a column is added to or removed
   */
  public Row row() {
    return new Row(primaryKey(), columns("a row"));
  }

  /**
   * Writes the row with exactly these columns, whether or not there is one.
   *
   * @throws IllegalStateException when a column is added to or removed
   */
  public RowPutChange put() {
    return put(RowExistenceExpectation.IGNORE);
  }

  /** As {@link #put()}, under a condition on the existence of the row. */
  public RowPutChange put(RowExistenceExpectation condition) {
    return new RowPutChange(primaryKey(), columns("a put"), condition);
  }

  /** Changes these columns and leaves the others; makes the row if there is none. */
  public RowUpdateChange update() {
    return update(RowExistenceExpectation.IGNORE);
  }

  /** As {@link #update()}, under a condition on the existence of the row. */
  public RowUpdateChange update(RowExistenceExpectation condition) {
    return new RowUpdateChange(primaryKey(), updates, condition);
  }

  /**
   * Deletes the row, if there is one.
   *
   * @throws IllegalStateException when the builder has columns
   */
  public RowDeleteChange delete() {
    return delete(RowExistenceExpectation.IGNORE);
  }

  /** As {@link #delete()}, under a condition on the existence of the row. */
  public RowDeleteChange delete(RowExistenceExpectation condition) {
    if (!updates.isEmpty()) {
      throw new IllegalStateException(
          "a delete names no columns, and not '" + updates.get(0).name() + "'");
    }
    return new RowDeleteChange(primaryKey(), condition);
  }

  private List<Column> columns(String what) {
    List<Column> columns = new ArrayList<>(updates.size());
    for (ColumnUpdate update : updates) {
      if (!(update instanceof ColumnUpdate.Put set)) {
        throw new IllegalStateException(
            what + " sets columns, and neither adds to nor removes '" + update.name() + "'");
      }
      columns.add(new Column(set.name(), set.value()));
    }
    return columns;
  }
}
