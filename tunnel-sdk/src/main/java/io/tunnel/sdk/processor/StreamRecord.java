package io.tunnel.sdk.processor;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
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
  private final KeyDecoder keys;
  private final long position;

  // Where the row's parts stand in the batch's array: columns behind the key, up to the row's end.
  private final int keyOffset;
  private final int columnsOffset;
  private final int rowEnd;

  /**
   * The row of {@code batch} that starts at {@code rowOffset}; a test of a processor may make one.
   *
   * @param schema the key columns of the table
   */
  public StreamRecord(
      ChangeBatch batch, int rowOffset, long position, List<PrimaryKeySchema> schema) {
    this(at(batch, rowOffset), position, new KeyDecoder(schema));
  }

  /**
   * The row at which the cursor is; the SDK makes these.
   *
   * @param keys of the table
   */
  public StreamRecord(RowCursor row, long position, KeyDecoder keys) {
    this.batch = row.batch();
    this.keys = keys;
    this.position = position;
    this.keyOffset = row.keyOffset();
    this.columnsOffset = row.columnsOffset();
    this.rowEnd = row.rowEnd();
  }

  private static RowCursor at(ChangeBatch batch, int rowOffset) {
    RowCursor row = batch.rows();
    row.moveTo(rowOffset);
    return row;
  }

  /** What the change does. */
  public RecordType getRecordType() {
    return switch (RowCursor.kindBefore(batch.array(), keyOffset, columnsOffset)) {
      case PUT -> RecordType.PUT;
      case UPDATE -> RecordType.UPDATE;
      case DELETE -> RecordType.DELETE;
    };
  }

  /** The row's key, decoded by this call. */
  public PrimaryKey getPrimaryKey() {
    return keys.decode(batch.array(), keyOffset, columnsOffset - keyOffset);
  }

  /** The row's key as it is encoded: a copy of its bytes, which sort as the keys do. */
  public Bytes encodedKey() {
    return Bytes.copyOf(batch.array(), keyOffset, columnsOffset - keyOffset);
  }

  /**
   * A hash of the row's key, without decoding it. Equal keys have equal hashes, in every process:
   * spread work by it that must keep the order of each row's changes.
   */
  public long primaryKeyHash() {
    return KeyCodec.hash(batch.array(), keyOffset, columnsOffset - keyOffset);
  }

  /**
   * What the change sets one column to, decoding nothing else; null when it does not set it: {@link
   * #columnState} tells then whether it removes it. Much cheaper than {@link #getColumns} where
   * only a few columns are of interest.
   */
  public ColumnValue value(String column) {
    int wanted = batch.nameIndex(column);
    // Not with find: a cursor that is returned is an object for each row.
    ColumnCursor columns = columns();
    while (wanted >= 0 && columns.next()) {
      if (columns.nameIndex() == wanted) {
        return columns.isDelete() ? null : columns.value();
      }
    }
    return null;
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
    ColumnCursor columns = columns();
    while (columns.next()) {
      if (columns.nameIndex() == wanted) {
        return columns;
      }
    }
    return null;
  }

  /** What is done to the row's columns, decoded by this call; empty for a DELETE. */
  public List<RecordColumn> getColumns() {
    ColumnCursor columns = columns();
    List<RecordColumn> decoded = new ArrayList<>(columns.left());
    while (columns.next()) {
      String name = batch.name(columns.nameIndex());
      decoded.add(new RecordColumn(name, columns.isDelete() ? null : columns.value()));
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
    return rowEnd - RowCursor.rowOffsetBefore(keyOffset, columnsOffset, rowEnd);
  }

  private ColumnCursor columns() {
    return new ColumnCursor(batch.array(), columnsOffset, rowEnd);
  }

  @Override
  public String toString() {
    return position + " " + getRecordType() + " " + getPrimaryKey() + " " + getColumns();
  }
}
