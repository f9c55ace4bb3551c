package io.tunnel.sdk.processor;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.List;

/**
 * One change: a small view of the bytes that were delivered. Key and columns are decoded by each
 * call that asks for them, so keep what you need twice. A record may be kept for as long as you
 * like; it keeps the delivery that it came in (usually up to 256 KiB).
 */
public final class StreamRecord {

  /** What a change does to its row. */
  public enum RecordType {
    /** Replaces the whole row. */
    PUT,
    /** Sets and removes single columns; creates the row if it does not exist. */
    UPDATE,
    /** Removes the row. */
    DELETE
  }

  /** What a change does to one column of its row. */
  public enum ColumnState {
    /** The row has this value of the column now: {@link StreamRecord#value} has it. */
    SET,
    /** The row has the column no more, or never had it. */
    REMOVED,
    /** The row has in this column what it had before. */
    UNTOUCHED
  }

  private final ChangeBatch batch;
  private final List<PrimaryKeySchema> schema;
  private final long position;
  private final int rowOffset;

  /**
   * The row of {@code batch} that starts at {@code rowOffset}; the SDK makes these, and so may a
   * test of a processor.
   *
   * @param schema the key columns of the table
   */
  public StreamRecord(
      ChangeBatch batch, int rowOffset, long position, List<PrimaryKeySchema> schema) {
    this.batch = batch;
    this.rowOffset = rowOffset;
    this.position = position;
    this.schema = schema;
  }

  /** What the change does. */
  public RecordType getRecordType() {
    return switch (row().kind()) {
      case PUT -> RecordType.PUT;
      case UPDATE -> RecordType.UPDATE;
      case DELETE -> RecordType.DELETE;
    };
  }

  /** The row's key, decoded by this call. */
  public PrimaryKey getPrimaryKey() {
    RowCursor row = row();
    return KeyCodec.decode(batch.array(), row.keyOffset(), row.keyBytes(), schema);
  }

  /** The row's key as it is encoded: a copy of its bytes, which sort as the keys do. */
  public Bytes encodedKey() {
    RowCursor row = row();
    return Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
  }

  /**
   * A hash of the row's key, without decoding it. Equal keys have equal hashes, in every process:
   * spread work by it that must keep the order of each row's changes.
   */
  public long primaryKeyHash() {
    RowCursor row = row();
    return KeyCodec.hash(batch.array(), row.keyOffset(), row.keyBytes());
  }

  /**
   * What the change sets one column to, decoding nothing else; null when it does not set it: {@link
   * #columnState} tells then whether it removes it. Much cheaper than {@link #getColumns} where
   * only a few columns are of interest.
   */
  public ColumnValue value(String column) {
    ColumnCursor found = find(column);
    return found == null || found.isDelete() ? null : found.value();
  }

  /**
   * What the change does to one column, decoding nothing. A PUT replaces the whole row, so it
   * removes each column that it does not set; a DELETE removes all; an UPDATE leaves alone what it
   * does not name.
   */
  public ColumnState columnState(String column) {
    ColumnCursor found = find(column);
    if (found == null) {
      return getRecordType() == RecordType.UPDATE ? ColumnState.UNTOUCHED : ColumnState.REMOVED;
    }
    return found.isDelete() ? ColumnState.REMOVED : ColumnState.SET;
  }

  /** At what the change says of a column; null when it does not name it. */
  private ColumnCursor find(String column) {
    int wanted = batch.nameIndex(column);
    if (wanted < 0) {
      return null;
    }
    ColumnCursor columns = row().columns();
    while (columns.next()) {
      if (columns.nameIndex() == wanted) {
        return columns;
      }
    }
    return null;
  }

  /** What is done to the row's columns, decoded by this call; empty for a DELETE. */
  public List<RecordColumn> getColumns() {
    ColumnCursor columns = row().columns();
    List<RecordColumn> decoded = new ArrayList<>(columns.left());
    while (columns.next()) {
      String name = batch.name(columns.nameIndex());
      decoded.add(
          columns.isDelete()
              ? RecordColumn.deleted(name)
              : RecordColumn.put(new Column(name, columns.value())));
    }
    return decoded;
  }

  /** The columns before the change: empty, because tables do not keep before images yet. */
  public List<RecordColumn> getOriginColumns() {
    return List.of();
  }

  /** Where the record stands in its partition. */
  public RecordSequenceInfo getSequenceInfo() {
    return new RecordSequenceInfo(position, batch.commitMicros());
  }

  /** Order of the change inside its partition. */
  public long position() {
    return position;
  }

  /** When the change was committed, in microseconds since 1970. */
  public long commitMicros() {
    return batch.commitMicros();
  }

  /** The partition of the row. */
  public int partition() {
    return batch.partition();
  }

  /** Bytes of the change as it is encoded: key and columns, without the columns' names. */
  public int byteCount() {
    RowCursor row = row();
    return row.rowEnd() - row.rowOffset();
  }

  private RowCursor row() {
    RowCursor row = batch.rows();
    row.moveTo(rowOffset);
    return row;
  }

  @Override
  public String toString() {
    return position + " " + getRecordType() + " " + getPrimaryKey() + " " + getColumns();
  }
}
