package io.tunnel.codec;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.value.Bytes;

/**
 * A row of a batch of the log as a batch of its own, with the names that it uses. Attributes of the
 * row stay; those of the batch speak of other rows, and are left out.
 */
public final class SingleRow {

  private SingleRow() {}

  /**
   * The row at which {@code row} stands, at its position and with its commit time.
   *
   * @param isKeyOnly whether columns are left out, and attributes that speak of columns; the cause
   *     of a DELETE, which has no columns, stays
   */
  public static byte[] of(RowCursor row, boolean isKeyOnly) {
    ChangeBatch batch = row.batch();
    int flagsOffset = row.keyOffset() - Binary.varintBytes(row.keyBytes()) - 1;
    int headBytes = row.columnsOffset() - flagsOffset;
    boolean hasAttributes = !isKeyOnly || row.kind() == ChangeKind.DELETE;
    Bytes attributes = hasAttributes ? row.attributesToLog() : Bytes.EMPTY;
    int attributesBytes =
        attributes.length() == 0 ? 0 : attributes.length() + Attributes.LENGTH_BYTES;
    int flags = batch.array()[flagsOffset] & ~RowCursor.ATTRIBUTES_FLAG;
    int columnsBytes = isKeyOnly ? 1 : columnsBytes(row.columns());
    ByteSink sink =
        new ByteSink(
            ChangeBatch.HEADER_BYTES_MIN + headBytes + columnsBytes + attributesBytes + 64);
    sink.skip(ChangeBatch.HEADER_BYTES_MIN);
    sink.writeVarint(headBytes + columnsBytes + attributesBytes);
    sink.writeByte(attributesBytes == 0 ? flags : flags | RowCursor.ATTRIBUTES_FLAG);
    sink.write(batch.array(), flagsOffset + 1, headBytes - 1);
    int names = 0;
    if (isKeyOnly) {
      sink.writeVarint(0);
    } else {
      names = writeColumns(sink, batch, row.columns());
    }
    if (attributesBytes > 0) {
      Attributes.writeBehind(sink, attributes);
    }
    int rowsBytes = sink.size() - ChangeBatch.HEADER_BYTES_MIN;
    if (!isKeyOnly) {
      writeNames(sink, batch, row.columns());
    }
    byte[] array = BatchBuilder.complete(sink, names, batch.partition(), 1, rowsBytes, Bytes.EMPTY);
    BatchBuilder.stamp(array, 0, batch.basePosition() + row.index(), batch.commitMicros());
    return array;
  }

  /** A row names no column twice, so the name of its i-th column gets the index i. */
  private static int writeColumns(ByteSink sink, ChangeBatch batch, ColumnCursor columns) {
    sink.writeVarint(columns.left());
    int index = 0;
    while (columns.next()) {
      sink.writeVarint(index++);
      sink.write(batch.array(), columns.typeOffset(), columns.columnEnd() - columns.typeOffset());
    }
    return index;
  }

  private static int columnsBytes(ColumnCursor columns) {
    int bytes = Binary.varintBytes(columns.left());
    int index = 0;
    while (columns.next()) {
      bytes += Binary.varintBytes(index++) + columns.columnEnd() - columns.typeOffset();
    }
    return bytes;
  }

  private static void writeNames(ByteSink sink, ChangeBatch batch, ColumnCursor columns) {
    while (columns.next()) {
      Utf8.writeSized(sink, batch.name(columns.nameIndex()));
    }
  }
}
