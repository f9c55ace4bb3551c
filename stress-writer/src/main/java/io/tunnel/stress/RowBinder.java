package io.tunnel.stress;

import io.tunnel.model.BinaryValue;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnType;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.PrimaryKeyValue;
import io.tunnel.model.RowPutChange;
import io.tunnel.sdk.HashedKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes records of a file into puts of a table: some columns are the key, in the table's types, all
 * others attributes. When the table has a first key column {@code hash BINARY} that the file's
 * columns do not give, it is computed from the others as a {@link HashedKey}.
 */
final class RowBinder {

  private final List<PrimaryKeySchema> schema;
  private final boolean hashed;

  /** Per column of the file that is in the key, its place in the key without the hash. */
  private final Map<String, Integer> keyIndexByName = new HashMap<>();

  private final List<String> keyNames;
  private final Map<String, ColumnType> types;

  /**
   * A binder for rows of one table.
   *
   * @param schema the table's key
   * @param key names of the file's columns that are the key, in the order of {@code schema}; none
   *     if they are called as in {@code schema}
   * @param types types of attributes; the others' are inferred
   */
  RowBinder(List<PrimaryKeySchema> schema, List<String> key, Map<String, ColumnType> types) {
    this.schema = List.copyOf(schema);
    this.hashed = leadsWithHash(schema) && !givesHash(schema, key, types);
    List<String> plain =
        schema.subList(hashed ? 1 : 0, schema.size()).stream().map(PrimaryKeySchema::name).toList();
    this.keyNames = key.isEmpty() ? plain : List.copyOf(key);
    if (keyNames.size() != plain.size()) {
      throw new IllegalArgumentException(
          "the key of the table is "
              + schema
              + ": "
              + plain.size()
              + " columns to name, not "
              + keyNames);
    }
    for (int i = 0; i < keyNames.size(); i++) {
      if (keyIndexByName.put(keyNames.get(i), i) != null) {
        throw new IllegalArgumentException("key column '" + keyNames.get(i) + "' is named twice");
      }
    }
    this.types = Map.copyOf(types);
  }

  private static boolean leadsWithHash(List<PrimaryKeySchema> schema) {
    PrimaryKeySchema first = schema.get(0);
    return schema.size() > 1
        && first.type() == PrimaryKeyType.BINARY
        && first.name().equals(HashedKey.COLUMN);
  }

  /** Whether the file has the hash as a column of its own: named in the key, or typed. */
  private static boolean givesHash(
      List<PrimaryKeySchema> schema, List<String> key, Map<String, ColumnType> types) {
    return key.size() == schema.size() || (key.isEmpty() && types.containsKey(HashedKey.COLUMN));
  }

  /**
   * The row.
   *
   * @throws BadLineException when it lacks a key column or a value is not of its column's type
   */
  RowPutChange bind(RawRecord raw) {
    PrimaryKeyValue[] key = new PrimaryKeyValue[keyNames.size()];
    List<Column> columns = new ArrayList<>(raw.fields().size());
    for (RawRecord.Field field : raw.fields()) {
      try {
        Integer index = keyIndexByName.get(field.name());
        if (index == null) {
          columns.add(new Column(field.name(), value(field)));
        } else {
          key[index] = TypedText.parseKey(field.text(), schema.get(index + keyStart()).type());
        }
      } catch (IllegalArgumentException e) {
        throw new BadLineException(
            "line " + raw.line() + ": column '" + field.name() + "': " + e.getMessage());
      }
    }
    return new RowPutChange(key(raw, key), columns);
  }

  private PrimaryKey key(RawRecord raw, PrimaryKeyValue[] values) {
    List<PrimaryKeyColumn> columns = new ArrayList<>(schema.size());
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null) {
        throw new BadLineException(
            "line " + raw.line() + ": key column '" + keyNames.get(i) + "' is missing or empty");
      }
    }
    if (hashed) {
      columns.add(
          new PrimaryKeyColumn(HashedKey.COLUMN, new BinaryValue(HashedKey.hash(List.of(values)))));
    }
    for (PrimaryKeyValue value : values) {
      columns.add(new PrimaryKeyColumn(schema.get(columns.size()).name(), value));
    }
    return new PrimaryKey(columns);
  }

  private ColumnValue value(RawRecord.Field field) {
    ColumnType type = types.get(field.name());
    if (type != null) {
      return TypedText.parse(field.text(), type);
    }
    return field.form() == RawRecord.Form.BARE
        ? TypedText.infer(field.text())
        : ColumnValue.fromString(field.text());
  }

  private int keyStart() {
    return hashed ? 1 : 0;
  }
}
