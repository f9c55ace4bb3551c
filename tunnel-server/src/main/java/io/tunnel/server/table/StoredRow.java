package io.tunnel.server.table;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Dictionary;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The value of a row: one part or several, each laid upon those before it. A part is a dictionary's
 * id as a varint, then columns as they came in their batch. With id 0 the names come between: their
 * count and their bytes, each as a varint, and the names. What opens with a number above all ids
 * has a form of a later version, and is refused.
 *
 * <p>A put is one part. An update is a part that RocksDB appends to the value when somebody reads
 * the row, or when it writes the row anew, so that nobody has to read a row to update it.
 */
final class StoredRow {

  private final TreeMap<String, Slice> valueByName = new TreeMap<>();

  /** Type and value of a column, or that it is removed, in the array that it came in. */
  @SuppressWarnings("ArrayRecordComponent") // Lives as long as the row, on the hot path.
  private record Slice(byte[] array, int from, int end, boolean isDelete) {
    int length() {
      return end - from;
    }
  }

  private StoredRow() {}

  /** A row without columns. */
  static StoredRow empty() {
    return new StoredRow();
  }

  /** The columns of a stored value. */
  static List<Column> columns(byte[] value, Dictionaries dictionaries) {
    Part first = Part.of(value, 0, dictionaries);
    return first.isWhole() ? first.toColumns() : of(value, dictionaries).toColumns();
  }

  /** A stored value, taken apart so that columns can be set and removed. */
  static StoredRow of(byte[] value, Dictionaries dictionaries) {
    StoredRow row = empty();
    int at = 0;
    do {
      Part part = Part.of(value, at, dictionaries);
      row.lay(part.columns(), value, part.names);
      at = part.end();
    } while (at < value.length);
    row.valueByName.values().removeIf(Slice::isDelete);
    return row;
  }

  private void lay(ColumnCursor columns, byte[] array, String[] names) {
    while (columns.left() > 0) {
      columns.next();
      lay(names[columns.nameIndex()], columns, array);
    }
  }

  private void lay(String name, ColumnCursor column, byte[] array) {
    valueByName.put(
        name, new Slice(array, column.typeOffset(), column.columnEnd(), column.isDelete()));
  }

  /** Sets and removes the columns that an UPDATE row names; a PUT sets its own. */
  void apply(RowCursor update) {
    lay(update);
    valueByName.values().removeIf(Slice::isDelete);
  }

  /** Lays an UPDATE row upon those before it; {@link #encode} gives a part that does all of it. */
  void lay(RowCursor update) {
    ChangeBatch batch = update.batch();
    ColumnCursor columns = update.columns();
    while (columns.next()) {
      lay(batch.name(columns.nameIndex()), columns, batch.array());
    }
  }

  /** Type and value of each column, by its name. */
  SortedMap<String, Bytes> values() {
    SortedMap<String, Bytes> values = new TreeMap<>();
    valueByName.forEach(
        (name, value) -> values.put(name, Bytes.copyOf(value.array, value.from, value.length())));
    return values;
  }

  private List<Column> toColumns() {
    ByteSink columns = new ByteSink(256);
    writeColumns(columns);
    return new Part(columns.toByteArray(), valueByName.keySet().toArray(new String[0]), 0)
        .toColumns();
  }

  /** Bytes of each column's type and value, by its name. */
  Map<String, Integer> columnBytes() {
    Map<String, Integer> bytes = new TreeMap<>();
    valueByName.forEach((name, value) -> bytes.put(name, value.length()));
    return bytes;
  }

  /** The part to store. Names are sorted, so that rows with the same columns share a dictionary. */
  byte[] encode(Dictionaries dictionaries) {
    int id = dictionaries.idOf(valueByName.navigableKeySet());
    ByteSink sink = new ByteSink(256);
    sink.writeVarint(id);
    if (id == StoreFormat.INLINE_DICTIONARY) {
      byte[] names = Dictionary.encode(valueByName.keySet().toArray(new String[0]));
      writeInline(sink, names, 0, names.length, valueByName.size());
    }
    writeColumns(sink);
    return sink.toByteArray();
  }

  private void writeColumns(ByteSink sink) {
    sink.writeVarint(valueByName.size());
    int index = 0;
    for (Slice value : valueByName.values()) {
      sink.writeVarint(index++);
      sink.write(value.array, value.from, value.length());
    }
  }

  static void writeInline(ByteSink sink, byte[] array, int offset, int length, int nameCount) {
    sink.writeVarint(nameCount);
    sink.writeVarint(length);
    sink.write(array, offset, length);
  }

  /** Where one part of a value is. */
  private static final class Part {
    private final byte[] value;
    private final String[] names;
    private final int columnsOffset;

    Part(byte[] value, String[] names, int columnsOffset) {
      this.value = value;
      this.names = names;
      this.columnsOffset = columnsOffset;
    }

    /** A cursor before its first column; what is behind its last one is no part of it. */
    ColumnCursor columns() {
      return new ColumnCursor(value, columnsOffset, value.length);
    }

    int end() {
      ColumnCursor columns = columns();
      while (columns.left() > 0) {
        columns.next();
      }
      return columns.columnEnd();
    }

    /** Whether it is the only part, and removes no column. */
    boolean isWhole() {
      ColumnCursor columns = columns();
      boolean removes = false;
      while (columns.left() > 0) {
        columns.next();
        removes |= columns.isDelete();
      }
      return !removes && columns.columnEnd() == value.length;
    }

    List<Column> toColumns() {
      List<Column> found = new ArrayList<>();
      ColumnCursor columns = columns();
      while (columns.next()) {
        found.add(new Column(names[columns.nameIndex()], columns.value()));
      }
      return found;
    }

    static Part of(byte[] value, int offset, Dictionaries dictionaries) {
      long id = Binary.getVarint(value, offset, value.length);
      if (Binary.value(id) >= StoreFormat.LATER_FORM_MIN) {
        throw new RefusedException(
            ErrorCode.STORAGE_FAILED,
            "a row is stored in form "
                + Binary.value(id)
                + ", which this version does not know; use the version that wrote it, or a newer"
                + " one");
      }
      if (Binary.value(id) != StoreFormat.INLINE_DICTIONARY) {
        return new Part(value, dictionaries.names(Binary.value(id)), Binary.next(id));
      }
      long count = Binary.getVarint(value, Binary.next(id), value.length);
      long bytes = Binary.getVarint(value, Binary.next(count), value.length);
      int from = Binary.next(bytes);
      int end = from + Binary.value(bytes);
      return new Part(value, Dictionary.decode(value, from, end, Binary.value(count)), end);
    }
  }
}
