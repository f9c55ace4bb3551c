package io.tunnel.model;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A stored row: its key and its columns. The order of the columns has no meaning.
 *
 * @param commitMicros when the row was changed last, in microseconds since 1970; present when a
 *     read asked for commit times
 */
public record Row(PrimaryKey primaryKey, List<Column> columns, Optional<Long> commitMicros) {

  /** A row without its commit time. */
  public Row(PrimaryKey primaryKey, List<Column> columns) {
    this(primaryKey, columns, Optional.empty());
  }

  /** Refuses null. */
  public Row {
    Objects.requireNonNull(primaryKey, "primaryKey");
    columns = List.copyOf(columns);
    Objects.requireNonNull(commitMicros, "commitMicros");
  }

  /** Begins a row, or a change of one, whose key begins with an INTEGER column. */
  public static RowBuilder key(String name, long value) {
    return new RowBuilder().key(name, value);
  }

  /** Begins a row, or a change of one, whose key begins with a STRING column. */
  public static RowBuilder key(String name, String value) {
    return new RowBuilder().key(name, value);
  }

  /** Begins a row, or a change of one, whose key begins with a BINARY column. */
  public static RowBuilder key(String name, byte[] value) {
    return new RowBuilder().key(name, value);
  }

  /** Begins a row, or a change of one, with the columns of a key. */
  public static RowBuilder key(PrimaryKey key) {
    RowBuilder row = new RowBuilder();
    key.getPrimaryKeyColumns().forEach(column -> row.key(column.getName(), column.getValue()));
    return row;
  }

  /** The value of the column with a name; empty when the row has no such column. */
  public Optional<ColumnValue> value(String name) {
    for (Column column : columns) {
      if (column.getName().equals(name)) {
        return Optional.of(column.getValue());
      }
    }
    return Optional.empty();
  }
}
