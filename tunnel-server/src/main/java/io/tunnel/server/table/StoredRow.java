package io.tunnel.server.table;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Dictionary;
import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;

/**
 * The value of a row: one part or several, each on top of the parts before it. A part is its form
 * in one byte and its commit time in seven, a dictionary's id as a varint, then columns as in their
 * batch. With id 0, the names follow the id: their count and their bytes, each as a varint, and the
 * names. A form may say that sized attributes stand in front of the id; the server refuses a part
 * of another form: a newer build has written it.
 *
 * <p>The commit time of a row is that of its last part: of the change that was laid on top of all
 * others.
 *
 * <p>A put is one part. An update is a part that RocksDB appends to the value when a reader reads
 * the row, or when it rewrites the row, so that no update has to read its row.
 */
final class StoredRow {

  private final TreeMap<String, Slice> valueByName = new TreeMap<>();

  /** Of the last part; 0 before there is one. */
  private long commitMicros;

  /**
   * Type and value of a column, or that it is removed, in the array that it came in, and its name
   * in the dictionary that named it.
   */
  @SuppressWarnings("ArrayRecordComponent") // Lives as long as the row, on the hot path.
  private record Slice(
      byte[] array, int from, int end, boolean isDelete, int dictionary, int nameIndex) {
    int length() {
      return end - from;
    }
  }

  private StoredRow() {}

  /** When a row was committed, in microseconds since 1970. */
  static long commitMicros(byte[] value) {
    int last = 0;
    for (int at = 0; at < value.length; ) {
      last = at;
      at = columnsEnd(new ColumnCursor(value, Part.columnsOffset(value, at), value.length));
    }
    return Binary.getLong(value, last) & StoreFormat.COMMIT_MICROS_MASK;
  }

  /** A row without columns. */
  static StoredRow empty() {
    return new StoredRow();
  }

  /** The columns of a stored value. */
  static List<Column> columns(byte[] value, IntFunction<String[]> dictionaries) {
    return columns(value, dictionaries, name -> true);
  }

  /**
   * The columns of a stored value that have one of some names; others are not decoded.
   *
   * @param dictionaries names of a dictionary by its id, for the partition of the row
   */
  static List<Column> columns(
      byte[] value, IntFunction<String[]> dictionaries, Predicate<String> chosen) {
    Part first = Part.of(value, 0, dictionaries);
    ColumnCursor columns = first.columns();
    List<Column> found = new ArrayList<>();
    while (columns.left() > 0) {
      columns.next();
      if (columns.isDelete()) {
        return of(value, dictionaries).toColumns(chosen);
      }
      String name = first.names[columns.nameIndex()];
      if (chosen.test(name)) {
        found.add(new Column(name, columns.value()));
      }
    }
    return columns.columnEnd() == value.length ? found : of(value, dictionaries).toColumns(chosen);
  }

  /** A stored value, taken apart so that columns can be set and removed. */
  static StoredRow of(byte[] value, IntFunction<String[]> dictionaries) {
    StoredRow row = empty();
    int at = 0;
    do {
      Part part = Part.of(value, at, dictionaries);
      ColumnCursor columns = part.columns();
      row.lay(columns, value, part.dictionary, i -> part.names[i]);
      row.commitMicros = part.commitMicros();
      at = columns.columnEnd();
    } while (at < value.length);
    return row.withoutRemoved();
  }

  /**
   * Lays the columns of an UPDATE row upon those before it; a PUT sets its own.
   *
   * @param dictionary what the dictionary of the row's batch has for an id in the store
   */
  void lay(RowCursor row, int dictionary) {
    ChangeBatch batch = row.batch();
    lay(row.columns(), batch.array(), dictionary, batch::name);
    commitMicros = batch.commitMicros();
  }

  private void lay(ColumnCursor columns, byte[] array, int dictionary, IntFunction<String> names) {
    while (columns.left() > 0) {
      columns.next();
      valueByName.put(
          names.apply(columns.nameIndex()),
          new Slice(
              array,
              columns.typeOffset(),
              columns.columnEnd(),
              columns.isDelete(),
              dictionary,
              columns.nameIndex()));
    }
  }

  /**
   * Removes deleted columns, as a row needs that has no part below it: the result is a complete
   * row.
   */
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

  /**
   * The stored value as one part, which names no dictionary that the value does not name.
   *
   * @throws MalformedException when the value is no stored row
   */
  static byte[] onePart(byte[] value, IntFunction<String[]> dictionaries) {
    int end = columnsEnd(new ColumnCursor(value, Part.columnsOffset(value, 0), value.length));
    if (end == value.length) {
      return value;
    }
    StoredRow row = of(value, dictionaries);
    int common = row.commonDictionary();
    Iterator<Integer> indexes = IntStream.range(0, row.valueByName.size()).iterator();
    return common == StoreFormat.INLINE_DICTIONARY
        ? row.encode(common, each -> indexes.next())
        : row.encode(common, Slice::nameIndex);
  }

  /** A value of one part, whose dictionary has the id {@code added} higher. */
  static byte[] withDictionary(byte[] part, int added) {
    int at = Part.behindHeader(part, 0);
    long id = Binary.getVarint(part, at, part.length);
    if (Binary.value(id) == StoreFormat.INLINE_DICTIONARY) {
      return part;
    }
    ByteSink sink = new ByteSink(part.length + Integer.BYTES);
    sink.write(part, 0, at);
    sink.writeVarint(Math.addExact(Binary.value(id), added));
    sink.write(part, Binary.next(id), part.length - Binary.next(id));
    return sink.toByteArray();
  }

  private List<Column> toColumns(Predicate<String> chosen) {
    valueByName.keySet().removeIf(chosen.negate());
    ByteSink sink = new ByteSink(256);
    // Names are not asked for by their indexes.
    writeColumns(sink, value -> 0);
    byte[] array = sink.toByteArray();
    ColumnCursor columns = new ColumnCursor(array, 0, array.length);
    List<Column> found = new ArrayList<>();
    for (String name : valueByName.keySet()) {
      columns.next();
      found.add(new Column(name, columns.value()));
    }
    return found;
  }

  private static int columnsEnd(ColumnCursor columns) {
    while (columns.left() > 0) {
      columns.next();
    }
    return columns.columnEnd();
  }

  /**
   * The part to store, its columns sorted by name. If one dictionary names all columns, the part
   * keeps that dictionary, so that a rewritten row does not store its names. Otherwise the part
   * gets the dictionary of its sorted names, so that rows with equal columns share a dictionary.
   */
  byte[] encode(int partition, Dictionaries dictionaries) {
    int common = commonDictionary();
    if (common != StoreFormat.INLINE_DICTIONARY) {
      return encode(common, Slice::nameIndex);
    }
    int id = dictionaries.idOf(partition, valueByName.navigableKeySet());
    Iterator<Integer> indexes = IntStream.range(0, valueByName.size()).iterator();
    return encode(id, value -> indexes.next());
  }

  /** The dictionary that named all columns; {@link StoreFormat#INLINE_DICTIONARY} if none did. */
  private int commonDictionary() {
    int common = StoreFormat.INLINE_DICTIONARY;
    for (Slice value : valueByName.values()) {
      if (common != StoreFormat.INLINE_DICTIONARY && value.dictionary != common) {
        return StoreFormat.INLINE_DICTIONARY;
      }
      common = value.dictionary;
      if (common == StoreFormat.INLINE_DICTIONARY) {
        return common;
      }
    }
    return common;
  }

  private byte[] encode(int dictionary, ToIntFunction<Slice> nameIndex) {
    ByteSink sink = new ByteSink(256);
    sink.writeLong(StoreFormat.partHeader(commitMicros));
    sink.writeVarint(dictionary);
    if (dictionary == StoreFormat.INLINE_DICTIONARY) {
      byte[] names = Dictionary.encode(valueByName.keySet().toArray(new String[0]));
      sink.writeVarint(valueByName.size());
      sink.writeVarint(names.length);
      sink.write(names, 0, names.length);
    }
    writeColumns(sink, nameIndex);
    return sink.toByteArray();
  }

  private void writeColumns(ByteSink sink, ToIntFunction<Slice> nameIndex) {
    sink.writeVarint(valueByName.size());
    for (Slice value : valueByName.values()) {
      sink.writeVarint(nameIndex.applyAsInt(value));
      sink.write(value.array, value.from, value.length());
    }
  }

  /** The id of the dictionary of the part at {@code offset}, as {@link Binary} reads a varint. */
  static long dictionaryId(byte[] value, int offset) {
    return Binary.getVarint(value, Part.behindHeader(value, offset), value.length);
  }

  /** Where one part of a value is. */
  private static final class Part {
    private final byte[] value;
    private final int offset;
    private final int dictionary;
    private final String[] names;
    private final int columnsOffset;

    Part(byte[] value, int offset, int dictionary, String[] names, int columnsOffset) {
      this.value = value;
      this.offset = offset;
      this.dictionary = dictionary;
      this.names = names;
      this.columnsOffset = columnsOffset;
    }

    /**
     * A cursor before the first column of the part. Bytes after its last column belong to the next
     * part.
     */
    ColumnCursor columns() {
      return new ColumnCursor(value, columnsOffset, value.length);
    }

    static Part of(byte[] value, int offset, IntFunction<String[]> dictionaries) {
      long id = dictionaryId(value, offset);
      int dictionary = Binary.value(id);
      if (dictionary != StoreFormat.INLINE_DICTIONARY) {
        return new Part(value, offset, dictionary, dictionaries.apply(dictionary), Binary.next(id));
      }
      long count = Binary.getVarint(value, Binary.next(id), value.length);
      long bytes = Binary.getVarint(value, Binary.next(count), value.length);
      int from = Binary.next(bytes);
      int end = from + Binary.value(bytes);
      String[] names = Dictionary.decode(value, from, end, Binary.value(count));
      return new Part(value, offset, StoreFormat.INLINE_DICTIONARY, names, end);
    }

    /** Where the columns of the part at {@code offset} begin; its names are not looked at. */
    static int columnsOffset(byte[] value, int offset) {
      long id = dictionaryId(value, offset);
      if (Binary.value(id) != StoreFormat.INLINE_DICTIONARY) {
        return Binary.next(id);
      }
      long count = Binary.getVarint(value, Binary.next(id), value.length);
      long bytes = Binary.getVarint(value, Binary.next(count), value.length);
      return Binary.next(bytes) + Binary.value(bytes);
    }

    /** Where the dictionary's id stands; refuses a part that this build does not know. */
    private static int behindHeader(byte[] value, int offset) {
      int at = offset + StoreFormat.PART_HEADER_BYTES;
      if (at > value.length) {
        throw new MalformedException(
            "a part of a stored row of " + (value.length - offset) + " bytes");
      }
      return value[offset] == 0 ? at : behindAttributes(value, offset, at);
    }

    private static int behindAttributes(byte[] value, int offset, int at) {
      int form = value[offset] & 0xff;
      try {
        if (form != StoreFormat.FORM_ATTRIBUTES) {
          throw new NewerFormatException("a stored row of form " + form);
        }
        long length = Binary.getVarint(value, at, value.length);
        int end = Binary.next(length) + Binary.value(length);
        if (end > value.length || end < 0) {
          throw new MalformedException("the attributes of a stored row are cut off");
        }
        // Also those that others may skip: a rewrite of the row would lose them.
        Attributes.requireKnown(Place.STORED_ROW, value, Binary.next(length), end);
        return end;
      } catch (NewerFormatException e) {
        throw new RefusedException(ErrorCode.STORAGE_FAILED, e.getMessage());
      }
    }

    /** When the part was committed. */
    long commitMicros() {
      return Binary.getLong(value, offset) & StoreFormat.COMMIT_MICROS_MASK;
    }
  }
}
