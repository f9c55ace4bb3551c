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
import java.util.function.IntFunction;

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
    ColumnCursor columns = first.columns();
    List<Column> found = new ArrayList<>();
    while (columns.left() > 0) {
      columns.next();
      if (columns.isDelete()) {
        return of(value, dictionaries).toColumns();
      }
      found.add(new Column(first.names[columns.nameIndex()], columns.value()));
    }
    return columns.columnEnd() == value.length ? found : of(value, dictionaries).toColumns();
  }

  /** A stored value, taken apart so that columns can be set and removed. */
  static StoredRow of(byte[] value, Dictionaries dictionaries) {
    StoredRow row = empty();
    int at = 0;
    do {
      Part part = Part.of(value, at, dictionaries);
      ColumnCursor columns = part.columns();
      row.lay(columns, value, i -> part.names[i]);
      at = columns.columnEnd();
    } while (at < value.length);
    return row.withoutRemoved();
  }

  /** Lays the columns of an UPDATE row upon those before it; a PUT sets its own. */
  void lay(RowCursor row) {
    ChangeBatch batch = row.batch();
    lay(row.columns(), batch.array(), batch::name);
  }

  private void lay(ColumnCursor columns, byte[] array, IntFunction<String> names) {
    while (columns.left() > 0) {
      columns.next();
      valueByName.put(
          names.apply(columns.nameIndex()),
          new Slice(array, columns.typeOffset(), columns.columnEnd(), columns.isDelete()));
    }
  }

  /** What is left when nothing is below it: a whole row, no part of one. */
  StoredRow withoutRemoved() {
    valueByName.values().removeIf(Slice::isDelete);
    return this;
  }

  /** How many columns it sets or removes. */
  int columnCount() {
    return valueByName.size();
  }

  /** Type and value of each column, by its name. */
  SortedMap<String, Bytes> values() {
    SortedMap<String, Bytes> values = new TreeMap<>();
    valueByName.forEach(
        (name, value) -> values.put(name, Bytes.copyOf(value.array, value.from, value.length())));
    return values;
  }

  private List<Column> toColumns() {
    ByteSink sink = new ByteSink(256);
    writeColumns(sink);
    byte[] array = sink.toByteArray();
    ColumnCursor columns = new ColumnCursor(array, 0, array.length);
    List<Column> found = new ArrayList<>();
    for (String name : valueByName.keySet()) {
      columns.next();
      found.add(new Column(name, columns.value()));
    }
    return found;
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
