package io.tunnel.codec;

import java.util.Arrays;

/**
 * Writes a row of a batch with only the names that the row uses. A batch has up to 4,096 names and
 * a row often few, so a row with all names of its batch could become a thousand times as large.
 *
 * <p>Names keep the order of the batch, so rows of one shape get equal bytes of names. For one row
 * at a time; not thread-safe.
 */
public final class UsedNames {

  /**
   * The offset of each name of {@link #indexed}, including its length, and the offset after the
   * last.
   */
  private int[] nameOffsets = new int[0];

  private ChangeBatch indexed;

  private RowCursor row;

  /** Indexes of the row's names in the batch, sorted; valid up to {@link #count}. */
  private int[] used = new int[8];

  private int count;
  private int namesBytes;
  private int columnsBytes;

  /** Without a row yet. */
  public UsedNames() {}

  /** Looks at a row of a validated batch; {@code row} must not move before it is written. */
  public void look(RowCursor next) {
    row = next;
    index(next.batch());
    ColumnCursor columns = next.columns();
    count = columns.left();
    if (used.length < count) {
      used = new int[count];
    }
    namesBytes = 0;
    int valuesBytes = 0;
    for (int i = 0; columns.next(); i++) {
      used[i] = columns.nameIndex();
      namesBytes += nameBytes(used[i]);
      valuesBytes += columns.columnEnd() - columns.typeOffset();
    }
    Arrays.sort(used, 0, count);
    if (keepsIndexes()) {
      columnsBytes = row.columnsBytes();
    } else {
      columnsBytes = Binary.varintBytes(count) + valuesBytes;
      for (int i = 0; i < count; i++) {
        columnsBytes += Binary.varintBytes(i);
      }
    }
  }

  private void index(ChangeBatch batch) {
    if (batch == indexed) {
      return;
    }
    int[] offsets = new int[batch.nameCount() + 1];
    int at = batch.dictionaryOffset();
    int limit = at + batch.dictionaryBytes();
    for (int i = 0; i < batch.nameCount(); i++) {
      offsets[i] = at;
      long length = Binary.getVarint(batch.array(), at, limit);
      at = Binary.next(length) + Binary.value(length);
    }
    offsets[batch.nameCount()] = at;
    nameOffsets = offsets;
    indexed = batch;
  }

  private int nameBytes(int index) {
    return nameOffsets[index + 1] - nameOffsets[index];
  }

  /** Whether the row uses the first names of the batch without gaps, so that no index changes. */
  private boolean keepsIndexes() {
    return count == 0 || used[count - 1] < count;
  }

  /** Bytes of the names. */
  public int namesBytes() {
    return namesBytes;
  }

  /** The size of the columns in bytes, including the count. */
  public int columnsBytes() {
    return columnsBytes;
  }

  /** Writes the number of names and the size of the names, as varints, then the names. */
  public void writeNames(ByteSink sink) {
    byte[] array = indexed.array();
    sink.writeVarint(count);
    sink.writeVarint(namesBytes);
    if (keepsIndexes()) {
      sink.write(array, nameOffsets[0], namesBytes);
    } else {
      for (int i = 0; i < count; i++) {
        sink.write(array, nameOffsets[used[i]], nameBytes(used[i]));
      }
    }
  }

  /** Writes the count of the columns, then the columns, with indexes into the written names. */
  public void writeColumns(ByteSink sink) {
    byte[] array = indexed.array();
    if (keepsIndexes()) {
      sink.write(array, row.columnsOffset(), row.columnsBytes());
    } else {
      sink.writeVarint(count);
      ColumnCursor columns = row.columns();
      while (columns.next()) {
        sink.writeVarint(Arrays.binarySearch(used, 0, count, columns.nameIndex()));
        sink.write(array, columns.typeOffset(), columns.columnEnd() - columns.typeOffset());
      }
    }
  }

  /** Releases the batch, which may be large. */
  public void clear() {
    indexed = null;
    row = null;
  }
}
