package io.tunnel.flink.table.row;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The stored columns of a SQL table, and its primary key.
 *
 * @param fields the columns, in the order of the SQL table
 * @param keyIndexes the indexes of the key's columns, in the key's order; empty without a key
 */
public record TableLayout(List<Field> fields, List<Integer> keyIndexes) implements Serializable {

  private static final long serialVersionUID = 1L;

  public TableLayout {
    fields = List.copyOf(Objects.requireNonNull(fields, "fields"));
    keyIndexes = List.copyOf(Objects.requireNonNull(keyIndexes, "keyIndexes"));
  }

  /**
   * The layout of a declared table.
   *
   * @throws ValidationException naming the column whose type this service does not have
   */
  public static TableLayout of(RowType row, int[] keyIndexes) {
    List<Field> fields = new ArrayList<>();
    for (RowType.RowField declared : row.getFields()) {
      fields.add(new Field(declared.getName(), kindOf(declared), declared.getType().isNullable()));
    }
    List<Integer> keys = new ArrayList<>();
    for (int index : keyIndexes) {
      keys.add(index);
      Field key = fields.get(index);
      if (key.kind().keyType().isEmpty()) {
        throw new ValidationException(
            "PRIMARY KEY column '"
                + key.name()
                + "' is "
                + key.kind()
                + "; the columns of a key are BIGINT, STRING or BYTES");
      }
    }
    if (keys.size() > Limits.KEY_COLUMNS_MAX) {
      throw new ValidationException(
          "a PRIMARY KEY has at most " + Limits.KEY_COLUMNS_MAX + " columns, not " + keys.size());
    }
    return new TableLayout(fields, keys);
  }

  private static FieldKind kindOf(RowType.RowField declared) {
    LogicalType type = declared.getType();
    return FieldKind.of(type)
        .orElseThrow(
            () ->
                new ValidationException(
                    "column '"
                        + declared.getName()
                        + "' is "
                        + type.asSummaryString()
                        + "; tables of this service have BIGINT, DOUBLE, BOOLEAN, STRING and BYTES:"
                        + " declare one of these, and CAST in the query"));
  }

  public boolean isKey(int index) {
    return keyIndexes.contains(index);
  }

  /** The indexes of the fields outside of the key. */
  public List<Integer> attributeIndexes() {
    List<Integer> indexes = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      if (!isKey(i)) {
        indexes.add(i);
      }
    }
    return indexes;
  }

  /**
   * A layout of some columns, in the given order; keeps the key only if all its columns are
   * present.
   */
  public TableLayout project(List<Integer> indexes) {
    List<Field> projected = indexes.stream().map(fields::get).toList();
    List<Integer> keys = keyIndexes.stream().map(indexes::indexOf).toList();
    return new TableLayout(projected, keys.contains(-1) ? List.of() : keys);
  }

  /** Whether a key can have this value. A lookup or delete by an impossible key finds no row. */
  static boolean canBeInKey(PrimaryKeyValue value) {
    return switch (value.getType()) {
      case INTEGER -> true;
      // A text with an unpaired surrogate cannot be stored.
      case STRING ->
          StandardCharsets.UTF_8.newEncoder().canEncode(value.asString())
              && value.asString().getBytes(StandardCharsets.UTF_8).length
                  <= Limits.KEY_COLUMN_BYTES_MAX;
      case BINARY -> value.asBinary().length <= Limits.KEY_COLUMN_BYTES_MAX;
    };
  }

  /** Whether a row can have this key. */
  public static boolean canBeKey(PrimaryKey key) {
    return key.getPrimaryKeyColumns().stream().allMatch(column -> canBeInKey(column.getValue()));
  }

  /** The key of a row of this layout. */
  PrimaryKey key(RowData row) {
    List<PrimaryKeyColumn> columns = new ArrayList<>(keyIndexes.size());
    for (int index : keyIndexes) {
      Field field = fields.get(index);
      columns.add(new PrimaryKeyColumn(field.name(), field.kind().readKey(row, index)));
    }
    return new PrimaryKey(columns);
  }

  /** Converts a stored row to this layout. */
  public GenericRowData toSql(Row row) {
    GenericRowData result = new GenericRowData(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      Field field = fields.get(i);
      PrimaryKeyColumn key = row.primaryKey().getPrimaryKeyColumn(field.name());
      ColumnValue value =
          key != null ? key.getValue().toColumnValue() : row.value(field.name()).orElse(null);
      result.setField(i, field.toSql(value, row.primaryKey()));
    }
    return result;
  }

  /**
   * Refuses a key that differs from the stored table's in columns, order or types.
   *
   * @throws ValidationException naming the stored table's key
   */
  public void requireKey(String table, List<PrimaryKeySchema> stored) {
    List<PrimaryKeySchema> declared = new ArrayList<>();
    for (int index : keyIndexes) {
      Field field = fields.get(index);
      declared.add(new PrimaryKeySchema(field.name(), field.kind().keyType().orElseThrow()));
    }
    List<PrimaryKeySchema> given =
        stored.stream().map(column -> new PrimaryKeySchema(column.name(), column.type())).toList();
    // A statement gives the number of an AUTO column, as of any other.
    if (!declared.equals(given)) {
      throw new ValidationException(
          "the PRIMARY KEY of table '"
              + table
              + "' is "
              + describe(stored)
              + " in this order; declared is "
              + describe(declared));
    }
  }

  private static String describe(List<PrimaryKeySchema> key) {
    List<String> columns = new ArrayList<>();
    for (PrimaryKeySchema column : key) {
      String sql =
          switch (column.type()) {
            case INTEGER -> "BIGINT";
            case STRING -> "STRING";
            case BINARY -> "BYTES";
          };
      columns.add(column.name() + " " + sql);
    }
    return columns.isEmpty() ? "none" : "(" + String.join(", ", columns) + ")";
  }
}
