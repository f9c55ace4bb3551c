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
 * The value of a row: a dictionary's id as a varint, then the columns as they came in their batch.
 * With id 0 the names come between: their count and their bytes, each as a varint, and the names.
 * What opens with a number above all ids has a form of a later version, and is refused.
 */
final class StoredRow {

  private final TreeMap<String, Slice> valueByName = new TreeMap<>();

  /** Type and value of a column, in the array that it came in. */
  @SuppressWarnings("ArrayRecordComponent") // Lives as long as the row, on the hot path.
  private record Slice(byte[] array, int from, int end) {
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
    Parts parts = Parts.of(value, dictionaries);
    List<Column> columns = new ArrayList<>();
    ColumnCursor cursor = new ColumnCursor(value, parts.columnsOffset, value.length);
    while (cursor.next()) {
      columns.add(new Column(parts.names[cursor.nameIndex()], cursor.value()));
    }
    return columns;
  }

  /** A stored value, taken apart so that columns can be set and removed. */
  static StoredRow of(byte[] value, Dictionaries dictionaries) {
    Parts parts = Parts.of(value, dictionaries);
    StoredRow row = empty();
    row.apply(
        value, new ColumnCursor(value, parts.columnsOffset, value.length), i -> parts.names[i]);
    return row;
  }

  /** Sets and removes the columns that an UPDATE row names. */
  void apply(RowCursor update) {
    ChangeBatch batch = update.batch();
    apply(batch.array(), update.columns(), batch::name);
  }

  private void apply(byte[] array, ColumnCursor columns, IntFunction<String> names) {
    while (columns.next()) {
      String name = names.apply(columns.nameIndex());
      if (columns.isDelete()) {
        valueByName.remove(name);
      } else {
        valueByName.put(name, new Slice(array, columns.typeOffset(), columns.columnEnd()));
      }
    }
  }

  /** Type and value of each column, by its name. */
  SortedMap<String, Bytes> values() {
    SortedMap<String, Bytes> values = new TreeMap<>();
    valueByName.forEach(
        (name, value) -> values.put(name, Bytes.copyOf(value.array, value.from, value.length())));
    return values;
  }

  /** Bytes of each column's type and value, by its name. */
  Map<String, Integer> columnBytes() {
    Map<String, Integer> bytes = new TreeMap<>();
    valueByName.forEach((name, value) -> bytes.put(name, value.length()));
    return bytes;
  }

  /** How many columns it has. */
  int columnCount() {
    return valueByName.size();
  }

  /**
   * The value to store. Names are sorted, so that rows with the same columns share a dictionary.
   */
  byte[] encode(Dictionaries dictionaries) {
    int id = dictionaries.idOf(valueByName.navigableKeySet());
    ByteSink sink = new ByteSink(256);
    sink.writeVarint(id);
    if (id == StoreFormat.INLINE_DICTIONARY) {
      byte[] names = Dictionary.encode(valueByName.keySet().toArray(new String[0]));
      writeInline(sink, names, 0, names.length, valueByName.size());
    }
    sink.writeVarint(valueByName.size());
    int index = 0;
    for (Slice value : valueByName.values()) {
      sink.writeVarint(index++);
      sink.write(value.array, value.from, value.length());
    }
    return sink.toByteArray();
  }

  static void writeInline(ByteSink sink, byte[] array, int offset, int length, int nameCount) {
    sink.writeVarint(nameCount);
    sink.writeVarint(length);
    sink.write(array, offset, length);
  }

  /** Where the parts of a value are. */
  private static final class Parts {
    private final String[] names;
    private final int columnsOffset;

    Parts(String[] names, int columnsOffset) {
      this.names = names;
      this.columnsOffset = columnsOffset;
    }

    static Parts of(byte[] value, Dictionaries dictionaries) {
      long id = Binary.getVarint(value, 0, value.length);
      if (Binary.value(id) >= StoreFormat.LATER_FORM_MIN) {
        throw new RefusedException(
            ErrorCode.STORAGE_FAILED,
            "a row is stored in form "
                + Binary.value(id)
                + ", which this version does not know; use the version that wrote it, or a newer"
                + " one");
      }
      if (Binary.value(id) != StoreFormat.INLINE_DICTIONARY) {
        return new Parts(dictionaries.names(Binary.value(id)), Binary.next(id));
      }
      long count = Binary.getVarint(value, Binary.next(id), value.length);
      long bytes = Binary.getVarint(value, Binary.next(count), value.length);
      int from = Binary.next(bytes);
      int end = from + Binary.value(bytes);
      return new Parts(Dictionary.decode(value, from, end, Binary.value(count)), end);
    }
  }
}
