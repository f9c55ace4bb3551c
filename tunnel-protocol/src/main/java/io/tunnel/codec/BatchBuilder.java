package io.tunnel.codec;

import static io.tunnel.codec.BatchLayout.HEADER_BYTES;

import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Encodes rows of one partition into one batch. A row that is refused leaves the batch as it was.
 * Not thread-safe.
 *
 * <p>Rows of one shape name equal columns in equal order, so a name is first compared with the name
 * at its place in the previous row; only a different name is looked up in the dictionary.
 */
public final class BatchBuilder {

  /** Stands where the server puts the result of an increment. */
  private static final ColumnValue TO_BE_ADDED = ColumnValue.fromLong(0);

  private final List<PrimaryKeySchema> schema;
  private final ByteSink sink;
  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> indexByName = new HashMap<>();
  private int nameBytes;

  /** What is said of the complete batch, as a list. */
  private Bytes attributes = Bytes.EMPTY;

  /** What is said of the row that is written, as a list. */
  private Bytes rowAttributes = Bytes.EMPTY;

  private final AskedAttributes asked;

  /** The session that rows are bound to. */
  private Optional<SessionProof> session = Optional.empty();

  private int rowCount;

  /** Bytes left open for the length of the next row: as many as the previous row needed. */
  private int lengthBytesGuess = 1;

  private int nextNameGuess;
  private final NameSet usedNames = new NameSet();

  /** An empty batch for keys of {@code schema}, with space for {@code bytes} before it grows. */
  public BatchBuilder(List<PrimaryKeySchema> schema, int bytes) {
    this.schema = List.copyOf(schema);
    this.asked = new AskedAttributes(this.schema);
    this.sink = new ByteSink(Math.max(HEADER_BYTES, bytes));
    sink.skip(HEADER_BYTES);
  }

  /** Binds each PUT and UPDATE that is added from now on to a session. */
  public void bind(SessionProof to) {
    session = Optional.of(to);
  }

  /** Rows so far. */
  public int rowCount() {
    return rowCount;
  }

  /** Bytes that {@link #build} would return now. */
  public int byteCount() {
    return sink.size() + nameBytes + listBytes(attributes);
  }

  /**
   * Says something of the complete batch.
   *
   * @param list as {@link Attributes#write} writes it; empty for nothing
   * @throws IllegalArgumentException when the list is longer than the attributes of a batch may be
   */
  public void setAttributes(Bytes list) {
    if (listBytes(list) > BatchLayout.ATTRIBUTES_BYTES_MAX) {
      throw new IllegalArgumentException(
          "attributes of "
              + list.length()
              + " bytes; a batch has at most "
              + (BatchLayout.ATTRIBUTES_BYTES_MAX - Attributes.LENGTH_BYTES));
    }
    attributes = list;
  }

  private static int listBytes(Bytes list) {
    return list.length() == 0 ? 0 : list.length() + Attributes.LENGTH_BYTES;
  }

  /**
   * Adds a row. Returns false, and changes nothing, when the batch is full: it has no space for the
   * row's bytes under {@link Limits#BATCH_BYTES_MAX}, for another row, or for its names, or the row
   * exceeds {@link Limits#ROW_BYTES_MAX} with name indexes after the present names. An empty batch
   * takes any legal row.
   *
   * @throws IllegalArgumentException when the row is over a limit, its key does not match the
   *     schema, its condition names what rows do not have, or it returns a column of the key
   */
  public boolean add(RowChange row) {
    return addWithin(Limits.BATCH_BYTES_MAX, row);
  }

  /**
   * As {@link #add}, but the batch is also full when the row would make it exceed {@code bytesMax}
   * bytes. An empty batch still takes any legal row.
   */
  public boolean addWithin(int bytesMax, RowChange row) {
    return addWithin(bytesMax, row, session.isEmpty() ? asked.of(row) : bound(row));
  }

  private Bytes bound(RowChange row) {
    Bytes list = asked.of(row);
    return row instanceof RowDeleteChange
        ? list
        : SessionProof.addToRow(session.get().session(), list);
  }

  /**
   * As {@link #addWithin(int, RowChange)}, for a row with these attributes instead of those that
   * the change asks for.
   *
   * @param list as {@link Attributes#write} writes it; empty for none
   */
  public boolean addWithin(int bytesMax, RowChange row, Bytes list) {
    if (rowCount == Limits.BATCH_ROWS_MAX) {
      return false;
    }
    int start = sink.size();
    int namesBefore = names.size();
    int nameBytesBefore = nameBytes;
    boolean added = false;
    try {
      rowAttributes = list;
      added = write(row, start, bytesMax);
    } finally {
      if (!added) {
        sink.truncate(start);
        forgetNames(namesBefore, nameBytesBefore);
      }
    }
    return added;
  }

  private boolean write(RowChange row, int start, int bytesMax) {
    sink.skip(lengthBytesGuess);
    sink.writeByte(flags(row));
    writeKey(row);
    nextNameGuess = 0;
    usedNames.clear();
    if (row instanceof RowPutChange put) {
      sink.writeVarint(put.columns().size());
      for (Column column : put.columns()) {
        writeColumn(column.getName(), column.getValue());
        if (isTooLong(row, start)) {
          return false;
        }
      }
    } else if (row instanceof RowUpdateChange update) {
      sink.writeVarint(update.updates().size());
      for (ColumnUpdate column : update.updates()) {
        writeUpdate(column);
        if (isTooLong(row, start)) {
          return false;
        }
      }
    } else if (row instanceof RowDeleteChange) {
      sink.writeVarint(0);
    }
    if (rowAttributes.length() > 0 && !writeAttributes(row, start)) {
      return false;
    }
    closeRow(start);
    return counts(bytesMax);
  }

  /** Few rows have attributes: outside of the method that each row runs through. */
  private boolean writeAttributes(RowChange row, int start) {
    Attributes.writeBehind(sink, rowAttributes);
    return !isTooLong(row, start);
  }

  private boolean counts(int bytesMax) {
    int roomBytes = rowCount == 0 ? Limits.BATCH_BYTES_MAX : bytesMax;
    if (byteCount() > roomBytes || names.size() > Limits.BATCH_NAMES_MAX) {
      return false;
    }
    rowCount++;
    return true;
  }

  /**
   * Whether a row exceeds the limit in this batch; asked after each column, because the remaining
   * columns may have gigabytes. A name after the first 128 of its batch costs a byte more, so only
   * an empty batch shows that the row is too long for every batch.
   *
   * @throws IllegalArgumentException when the row is too long for every batch
   */
  private boolean isTooLong(RowChange row, int start) {
    int bytes = sink.size() - start - lengthBytesGuess;
    if (bytes > Limits.ROW_BYTES_MAX && rowCount == 0) {
      throw new IllegalArgumentException(
          "row "
              + row.primaryKey()
              + " has "
              + bytes
              + " bytes or more; a row has at most "
              + Limits.ROW_BYTES_MAX);
    }
    return bytes > Limits.ROW_BYTES_MAX;
  }

  /**
   * Writes the row's length before the row, in as few bytes as possible; the row moves only if
   * another number of bytes was left open.
   */
  private void closeRow(int start) {
    int bytes = sink.size() - start - lengthBytesGuess;
    int lengthBytes = Binary.varintBytes(bytes);
    if (lengthBytes != lengthBytesGuess) {
      sink.move(start + lengthBytesGuess, start + lengthBytes);
      lengthBytesGuess = lengthBytes;
    }
    Binary.putVarint(sink.array(), start, bytes);
  }

  private void writeKey(RowChange row) {
    // Nearly every key is under 128 bytes, so its length takes one byte; a longer key moves.
    int lengthAt = sink.skip(1);
    KeyCodec.writeToNumber(sink, row.primaryKey(), schema);
    int bytes = sink.size() - lengthAt - 1;
    int lengthBytes = Binary.varintBytes(bytes);
    if (lengthBytes > 1) {
      sink.move(lengthAt + 1, lengthAt + lengthBytes);
    }
    Binary.putVarint(sink.array(), lengthAt, bytes);
  }

  private void writeUpdate(ColumnUpdate update) {
    if (update instanceof ColumnUpdate.Put put) {
      writeColumn(put.name(), put.value());
    } else if (update instanceof ColumnUpdate.Increment) {
      writeColumn(update.name(), TO_BE_ADDED);
    } else {
      writeName(update.name());
      sink.writeByte(BatchLayout.TYPE_DELETE_COLUMN);
    }
  }

  private void writeColumn(String name, ColumnValue value) {
    writeName(name);
    if (value instanceof IntegerValue integer) {
      sink.writeByte(BatchLayout.TYPE_INTEGER);
      sink.writeLong(integer.value());
    } else if (value instanceof StringValue string) {
      sink.writeByte(BatchLayout.TYPE_STRING);
      writeSized(name, Utf8.encode(string.value()));
    } else if (value instanceof BinaryValue binary) {
      sink.writeByte(BatchLayout.TYPE_BINARY);
      requireValueBytes(name, binary.value().length());
      sink.writeVarint(binary.value().length());
      sink.write(binary.value());
    } else if (value instanceof DoubleValue real) {
      sink.writeByte(BatchLayout.TYPE_DOUBLE);
      sink.writeLong(Double.doubleToRawLongBits(real.value()));
    } else if (value instanceof BooleanValue flag) {
      sink.writeByte(BatchLayout.TYPE_BOOLEAN);
      sink.writeByte(flag.value() ? 1 : 0);
    }
  }

  private void writeSized(String name, byte[] bytes) {
    requireValueBytes(name, bytes.length);
    sink.writeVarint(bytes.length);
    sink.write(bytes, 0, bytes.length);
  }

  private static void requireValueBytes(String name, int bytes) {
    if (bytes > Limits.VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "column '"
              + name
              + "' has "
              + bytes
              + " bytes; a value has at most "
              + Limits.VALUE_BYTES_MAX);
    }
  }

  private void writeName(String name) {
    int index = nameIndex(name);
    if (!usedNames.add(index)) {
      throw new IllegalArgumentException("column '" + name + "' is named twice in one row");
    }
    sink.writeVarint(index);
  }

  private int nameIndex(String name) {
    int guess = nextNameGuess++;
    if (guess < names.size() && names.get(guess).equals(name)) {
      return guess;
    }
    Integer known = indexByName.get(name);
    if (known != null) {
      nextNameGuess = known + 1;
      return known;
    }
    int index = names.size();
    int bytes = Utf8.encode(name).length;
    names.add(name);
    indexByName.put(name, index);
    nameBytes += Binary.varintBytes(bytes) + bytes;
    nextNameGuess = index + 1;
    return index;
  }

  private void forgetNames(int count, int bytes) {
    while (names.size() > count) {
      indexByName.remove(names.remove(names.size() - 1));
    }
    nameBytes = bytes;
  }

  private int flags(RowChange row) {
    int flags = row.kind().code() | row.condition().code() << BatchLayout.CONDITION_SHIFT;
    return rowAttributes.length() == 0 ? flags : flags | RowCursor.ATTRIBUTES_FLAG;
  }

  /** The batch as a writer sends it: for {@code partition}, without position or commit time. */
  public byte[] build(int partition) {
    return build(partition, 0, 0);
  }

  /** The batch with a complete header. */
  public byte[] build(int partition, long basePosition, long commitMicros) {
    int rowsEnd = sink.size();
    close(partition, basePosition, commitMicros);
    byte[] batch = sink.toByteArray();
    sink.truncate(rowsEnd);
    return batch;
  }

  /**
   * As {@link #build(int)}, but returns the builder's own array, unless a quarter of it would lie
   * idle. The builder must not be used any more.
   */
  public ByteBuffer finish(int partition) {
    close(partition, 0, 0);
    boolean isFilled = sink.array().length - sink.size() <= sink.array().length / 4;
    return ByteBuffer.wrap(isFilled ? sink.array() : sink.toByteArray(), 0, sink.size());
  }

  private void close(int partition, long basePosition, long commitMicros) {
    int rowsBytes = sink.size() - HEADER_BYTES;
    for (String name : names) {
      Utf8.writeSized(sink, name);
    }
    if (attributes.length() > 0) {
      Attributes.writeBehind(sink, attributes);
    }
    writeHeader(sink.array(), 0, sink.size(), names.size(), partition, rowCount, rowsBytes);
    if (attributes.length() > 0) {
      haveAttributes(sink.array(), 0);
    }
    stamp(sink.array(), 0, basePosition, commitMicros);
  }

  /**
   * A batch as a writer sends it, with the rows of another one and other attributes.
   *
   * @param list as {@link Attributes#write} writes it; empty for none
   */
  public static byte[] withAttributes(ChangeBatch batch, Bytes list) {
    int rowsAndNames = batch.rowsBytes() + batch.dictionaryBytes();
    ByteSink sink = new ByteSink(HEADER_BYTES + rowsAndNames + listBytes(list));
    sink.skip(HEADER_BYTES);
    sink.write(batch.array(), batch.rowsOffset(), rowsAndNames);
    return complete(
        sink, batch.nameCount(), batch.partition(), batch.rowCount(), batch.rowsBytes(), list);
  }

  /**
   * A batch as a writer sends it, of space for the header, the rows and the dictionary.
   *
   * @param list as {@link Attributes#write} writes it; empty for none
   */
  public static byte[] complete(
      ByteSink sink, int nameCount, int partition, int rowCount, int rowsBytes, Bytes list) {
    if (list.length() > 0) {
      Attributes.writeBehind(sink, list);
    }
    byte[] array = sink.toByteArray();
    writeHeader(array, 0, array.length, nameCount, partition, rowCount, rowsBytes);
    if (list.length() > 0) {
      haveAttributes(array, 0);
    }
    stamp(array, 0, 0, 0);
    return array;
  }

  /** A batch without rows, which has one attribute. */
  public static byte[] withoutRows(
      int partition, FormatFeature feature, Bytes value, long position, long commitMicros) {
    ByteSink sink = new ByteSink(HEADER_BYTES);
    sink.write(new byte[HEADER_BYTES], 0, HEADER_BYTES);
    ByteSink list = new ByteSink(value.length());
    Attributes.write(list, feature.number(), value);
    byte[] array = complete(sink, 0, partition, 0, 0, Bytes.copyOf(list.array(), 0, list.size()));
    stamp(array, 0, position, commitMicros);
    return array;
  }

  /**
   * Fills in the header of a batch of {@code bytes} bytes; {@link #stamp} adds position, commit
   * time and checksum.
   */
  public static void writeHeader(
      byte[] array,
      int offset,
      int bytes,
      int nameCount,
      int partition,
      int rowCount,
      int rowsBytes) {
    Binary.putInt(array, offset + BatchLayout.LENGTH, bytes - 4);
    array[offset + BatchLayout.FORMAT] = BatchLayout.FORMAT_1;
    array[offset + BatchLayout.ATTRIBUTES] = 0;
    Binary.putShort(array, offset + BatchLayout.NAME_COUNT, nameCount);
    Binary.putInt(array, offset + BatchLayout.PARTITION, partition);
    Binary.putInt(array, offset + BatchLayout.ROW_COUNT, rowCount);
    Binary.putInt(array, offset + BatchLayout.ROWS_BYTES, rowsBytes);
  }

  /**
   * Says in the header of {@link #writeHeader} that attributes stand after the dictionary; comes
   * before {@link #stamp}.
   */
  public static void haveAttributes(byte[] array, int offset) {
    array[offset + BatchLayout.ATTRIBUTES] = BatchLayout.HAS_ATTRIBUTES;
  }

  /** Writes position, commit time and checksum of the batch at {@code offset}. */
  public static void stamp(byte[] array, int offset, long basePosition, long commitMicros) {
    place(array, offset, basePosition, commitMicros);
    int length = Binary.getInt(array, offset + BatchLayout.LENGTH);
    int crc = Checksum.crc32c(array, offset + BatchLayout.FORMAT, length - 4);
    Binary.putInt(array, offset + BatchLayout.CRC, crc);
  }

  /**
   * Writes the commit time of the batch at {@code offset}, and leaves position and checksum as they
   * are: for a batch in memory whose bytes no reader checks any more.
   */
  public static void date(byte[] array, int offset, long commitMicros) {
    Binary.putLong(array, offset + BatchLayout.COMMIT_MICROS, commitMicros);
  }

  /**
   * As {@link #stamp}, for a batch whose rows and names are in other arrays.
   *
   * @param header the header alone, from {@link #writeHeader}
   * @param rest updates the checksum with all bytes after the header, in order
   */
  public static void stampHeader(
      byte[] header, long basePosition, long commitMicros, Consumer<CRC32C> rest) {
    place(header, 0, basePosition, commitMicros);
    CRC32C crc = new CRC32C();
    crc.update(header, BatchLayout.FORMAT, HEADER_BYTES - BatchLayout.FORMAT);
    rest.accept(crc);
    Binary.putInt(header, BatchLayout.CRC, (int) crc.getValue());
  }

  private static void place(byte[] array, int offset, long basePosition, long commitMicros) {
    Binary.putLong(array, offset + BatchLayout.BASE_POSITION, basePosition);
    date(array, offset, commitMicros);
  }
}
