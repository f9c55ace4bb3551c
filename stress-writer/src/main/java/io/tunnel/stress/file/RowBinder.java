package io.tunnel.stress.file;

import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.stress.rows.BadLineException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes records of a file into changes of a table. Of a record of plain columns some are the key,
 * in the table's types, and all others attributes of a put; a typed record says itself what it is.
 * A leading hash that a record does not give is computed from the others as {@link HashedKey} does.
 */
final class RowBinder {

  private final List<PrimaryKeySchema> schema;

  /** Whether the first column of the key may be left out, because it is the hash of the others. */
  private final boolean isHashed;

  /** Per column of the file that is in the key, its place in the table's key. */
  private final Map<String, Integer> keyIndexByName = new HashMap<>();

  /** What the file calls the columns of the table's key. */
  private final List<String> keyNames;

  private final Map<String, ColumnType> types;

  /** Whether plain columns may be added to. */
  private final boolean mayAdd;

  /** Columns that were given a type and were in no record so far. */
  private final Set<String> unseenTypes;

  /** A binder for rows of one table; refuses a binding that makes no sense. */
  RowBinder(FileRows.Binding binding) {
    this.schema = binding.schema();
    this.isHashed = binding.isHashed();
    if (isHashed && !HashedKey.canBeHashed(schema)) {
      throw new IllegalArgumentException(
          "--hashed is for a key whose first column is BINARY and has others behind it, not "
              + schemaText());
    }
    this.keyNames = keyNames(binding.key());
    for (int i = 0; i < keyNames.size(); i++) {
      if (keyIndexByName.put(keyNames.get(i), i) != null) {
        throw new IllegalArgumentException("key column '" + keyNames.get(i) + "' is named twice");
      }
    }
    this.types = binding.types();
    this.mayAdd = binding.mayAdd();
    this.unseenTypes = new HashSet<>(types.keySet());
  }

  private List<String> keyNames(List<String> given) {
    List<String> names = schema.stream().map(PrimaryKeySchema::name).toList();
    if (given.isEmpty()) {
      return names;
    }
    if (isHashed && given.size() == names.size() - 1) {
      List<String> all = new ArrayList<>(names.subList(0, 1));
      all.addAll(given);
      return all;
    }
    if (given.size() != names.size()) {
      throw new IllegalArgumentException(
          "the key of the table is "
              + schemaText()
              + ": --key names "
              + names.size()
              + " columns of the file"
              + (isHashed ? ", or all but the hash" : "")
              + ", not "
              + given);
    }
    return given;
  }

  private String schemaText() {
    StringBuilder text = new StringBuilder("(");
    for (PrimaryKeySchema column : schema) {
      text.append(text.length() == 1 ? "" : ", ");
      text.append(column.describe());
    }
    return text.append(')').toString();
  }

  /**
   * Refuses a file whose records have these columns when one of the key is not among them.
   *
   * @throws IllegalArgumentException that names the columns that there are
   */
  void requireKey(Collection<String> columns) {
    for (String name : keyNames.subList(isHashed ? 1 : 0, keyNames.size())) {
      if (!columns.contains(name)) {
        throw new IllegalArgumentException(
            "there is no column '"
                + name
                + "', which is of the key, among "
                + columns
                + ": the key of the table is "
                + schemaText()
                + "; --key names its columns of the file in that order");
      }
    }
  }

  /** Refuses a type that was given for a column that is not among all columns of the file. */
  void requireTyped(Collection<String> columns) {
    for (String name : types.keySet()) {
      if (!columns.contains(name)) {
        throw new IllegalArgumentException(
            "--types: there is no column '" + name + "' among " + columns);
      }
    }
  }

  /** Columns that were given a type and were in no record that was bound. */
  Set<String> unseenTypes() {
    return Set.copyOf(unseenTypes);
  }

  /**
   * The change.
   *
   * @throws BadLineException when it lacks a key column or a value is not of its column's type
   */
  RowChange bind(FileRecord record) {
    if (record instanceof FileRecord.Change change) {
      return bind(change);
    } else if (record instanceof FileRecord.Plain plain) {
      return bind(plain);
    }
    throw new IllegalStateException("a record of unknown form " + record);
  }

  private RowChange bind(FileRecord.Plain plain) {
    PrimaryKeyValue[] key = new PrimaryKeyValue[keyNames.size()];
    List<Column> columns = new ArrayList<>(plain.fields().size());
    List<ColumnUpdate> added = new ArrayList<>();
    for (FileRecord.Field field : plain.fields()) {
      try {
        unseenTypes.remove(field.name());
        Integer index = keyIndexByName.get(field.name());
        if (index == null) {
          requireNoKeyColumn(field.name());
          if (field.form() == FileRecord.Form.ADDED) {
            added.add(increment(field));
          } else {
            columns.add(new Column(field.name(), value(field)));
          }
        } else {
          key[index] = TypedText.parseKey(field.text(), schema.get(index));
        }
      } catch (IllegalArgumentException e) {
        throw badColumn(plain, field.name(), e);
      }
    }
    if (added.isEmpty()) {
      return new RowPutChange(key(plain, key), columns);
    }
    columns.forEach(column -> added.add(new ColumnUpdate.Put(column.getName(), column.getValue())));
    return new RowUpdateChange(key(plain, key), added);
  }

  private ColumnUpdate increment(FileRecord.Field field) {
    if (!mayAdd) {
      throw new IllegalArgumentException(
          "{\"add\":"
              + field.text()
              + "} adds to the column, and a row that is put has values; 'tables update --from'"
              + " adds");
    }
    return TypedJson.increment(field.name(), field.text());
  }

  private RowChange bind(FileRecord.Change change) {
    PrimaryKeyValue[] values = new PrimaryKeyValue[schema.size()];
    for (int i = 0; i < values.length; i++) {
      String text = change.key().get(schema.get(i).name());
      try {
        values[i] = text == null ? null : TypedText.parseKey(text, schema.get(i));
      } catch (IllegalArgumentException e) {
        throw badColumn(change, schema.get(i).name(), e);
      }
    }
    for (String name : change.key().keySet()) {
      if (schema.stream().noneMatch(column -> column.name().equals(name))) {
        throw new BadLineException(
            "line "
                + change.line()
                + ": '"
                + name
                + "' is no column of the table's key "
                + schemaText());
      }
    }
    PrimaryKey key = key(change, values);
    try {
      change.columns().forEach(column -> requireNoKeyColumn(column.name()));
      RowChange bound = change(change.kind(), key, change.columns());
      ConditionPlace place = ConditionPlace.ofRows(schema);
      return change.onlyIf().map(place::require).map(bound::onlyIf).orElse(bound);
    } catch (IllegalArgumentException e) {
      throw new BadLineException("line " + change.line() + ": " + e.getMessage());
    }
  }

  private void requireNoKeyColumn(String name) {
    if (schema.stream().anyMatch(column -> column.name().equals(name))) {
      throw new IllegalArgumentException(
          "'" + name + "' is a column of the table's key " + schemaText() + ", and no other");
    }
  }

  private static RowChange change(ChangeKind kind, PrimaryKey key, List<ColumnUpdate> columns) {
    return switch (kind) {
      case PUT -> {
        List<Column> put = new ArrayList<>(columns.size());
        for (ColumnUpdate column : columns) {
          put.add(new Column(column.name(), ((ColumnUpdate.Put) column).value()));
        }
        yield new RowPutChange(key, put);
      }
      case UPDATE -> new RowUpdateChange(key, columns);
      case DELETE -> new RowDeleteChange(key);
    };
  }

  private PrimaryKey key(FileRecord record, PrimaryKeyValue[] values) {
    for (int i = isHashed ? 1 : 0; i < values.length; i++) {
      if (values[i] == null) {
        String name = record instanceof FileRecord.Change ? schema.get(i).name() : keyNames.get(i);
        throw new BadLineException(
            "line " + record.line() + ": key column '" + name + "' is missing or empty");
      }
    }
    if (values[0] == null) {
      Bytes hash = HashedKey.hash(Arrays.asList(values).subList(1, values.length));
      values[0] = PrimaryKeyValue.fromBinary(hash.toByteArray());
    }
    List<PrimaryKeyColumn> columns = new ArrayList<>(values.length);
    for (int i = 0; i < values.length; i++) {
      columns.add(new PrimaryKeyColumn(schema.get(i).name(), values[i]));
    }
    return new PrimaryKey(columns);
  }

  private static BadLineException badColumn(
      FileRecord record, String name, IllegalArgumentException why) {
    return new BadLineException(
        "line " + record.line() + ": column '" + name + "': " + why.getMessage());
  }

  private ColumnValue value(FileRecord.Field field) {
    ColumnType type = types.get(field.name());
    if (type != null) {
      return TypedText.parse(field.text(), type);
    }
    return switch (field.form()) {
      case BARE -> TypedText.infer(field.text());
      case NUMBER -> TypedText.inferNumber(field.text());
      case QUOTED, ADDED -> ColumnValue.fromString(field.text());
    };
  }
}
