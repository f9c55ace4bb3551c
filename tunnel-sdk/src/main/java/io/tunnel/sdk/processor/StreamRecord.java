package io.tunnel.sdk.processor;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.Increments;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One change: a small view of the delivered bytes. Each call of a getter decodes the key or the
 * columns again, so keep a result that you need twice. A program may keep a record for any time; a
 * record keeps the memory of its whole delivery (usually up to 256 KiB).
 */
public final class StreamRecord {

  /** Kinds of changes. */
  public enum RecordType {
    /** Replaces the whole row. */
    PUT,
    /** Sets and removes single columns; creates a row that does not exist. */
    UPDATE,
    /** Removes the row. */
    DELETE
  }

  /** State of one column after the change. */
  public enum ColumnState {
    /** The change sets the column; {@link StreamRecord#value} returns the value. */
    SET,
    /** The row does not have the column. */
    REMOVED,
    /** The change does not touch the column. */
    UNTOUCHED
  }

  private final ChangeBatch batch;
  private final KeyDecoder keys;
  private final long position;

  // Offsets of the row's parts in the batch's array: the columns follow the key and end the row.
  private final int keyOffset;
  private final int columnsOffset;
  private final int rowEnd;

  /**
   * The row of {@code batch} that starts at {@code rowOffset}; for tests of processors.
   *
   * @param schema key columns of the table
   */
  public StreamRecord(
      ChangeBatch batch, int rowOffset, long position, List<PrimaryKeySchema> schema) {
    this(at(batch, rowOffset), position, new KeyDecoder(schema));
  }

  /**
   * The row at the position of the cursor; for the SDK.
   *
   * @param keys decoder of the table's keys
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

  /** Kind of the change. */
  public RecordType getRecordType() {
    return switch (RowCursor.kindBefore(batch.array(), keyOffset, columnsOffset)) {
      case PUT -> RecordType.PUT;
      case UPDATE -> RecordType.UPDATE;
      case DELETE -> RecordType.DELETE;
    };
  }

  /**
   * Why the server deleted the row by itself: because the time to live of its table was over, or
   * because the {@link io.tunnel.sdk.RowSession} ended that the row was bound to. Empty for changes
   * of writers.
   */
  public Optional<DeletionCause> deletionCause() {
    return RowCursor.causeBefore(batch.array(), keyOffset, columnsOffset, rowEnd);
  }

  /** The row's key; each call decodes it. */
  public PrimaryKey getPrimaryKey() {
    return keys.decode(batch.array(), keyOffset, columnsOffset - keyOffset);
  }

  /** A copy of the encoded key. The bytes of encoded keys sort in the order of the keys. */
  public Bytes encodedKey() {
    return Bytes.copyOf(batch.array(), keyOffset, columnsOffset - keyOffset);
  }

  /**
   * A hash of the row's key, computed without decoding the key. Equal keys have equal hashes in
   * every process: work that is spread by this hash keeps the order of each row's changes.
   */
  public long primaryKeyHash() {
    return KeyCodec.hash(batch.array(), keyOffset, columnsOffset - keyOffset);
  }

  /**
   * The new value of one column, found without decoding other columns. Empty when the change does
   * not set the column: {@link #columnState} tells whether the change removes it. Much cheaper than
   * {@link #getColumns} when a program needs few columns.
   */
  public Optional<ColumnValue> value(String column) {
    int wanted = batch.nameIndex(column);
    // Does not call find: a returned cursor would be allocated for each row.
    ColumnCursor columns = columns();
    while (wanted >= 0 && columns.next()) {
      if (columns.nameIndex() == wanted) {
        return columns.isDelete() ? Optional.empty() : Optional.of(columns.value());
      }
    }
    return Optional.empty();
  }

  /**
   * State of one column after the change, found without decoding a value. A PUT replaces the whole
   * row and so removes each column without a new value. A DELETE removes all columns. An UPDATE
   * does not touch columns that it does not name.
   */
  public ColumnState columnState(String column) {
    ColumnCursor found = find(column);
    if (found == null) {
      return getRecordType() == RecordType.UPDATE ? ColumnState.UNTOUCHED : ColumnState.REMOVED;
    }
    return found.isDelete() ? ColumnState.REMOVED : ColumnState.SET;
  }

  /** A cursor at the column; null when the change does not name the column. */
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

  /**
   * What the change added to a column whose new value is the result; empty when the writer set the
   * value itself, and when the change does not name the column. Processors never add: the result is
   * the column's value.
   */
  public Optional<Long> delta(String column) {
    Optional<Increments> deltas = deltas();
    int wanted = deltas.isPresent() ? batch.nameIndex(column) : -1;
    ColumnCursor columns = columns();
    for (int place = 0; wanted >= 0 && columns.next(); place++) {
      if (columns.nameIndex() == wanted) {
        return deltas.get().at(place);
      }
    }
    return Optional.empty();
  }

  private Optional<Increments> deltas() {
    return RowCursor.deltasBefore(batch.array(), keyOffset, columnsOffset, rowEnd);
  }

  /** Changes of the row's columns; each call decodes them. Empty for a DELETE. */
  public List<RecordColumn> getColumns() {
    ColumnCursor columns = columns();
    List<RecordColumn> decoded = new ArrayList<>(columns.left());
    Optional<Increments> deltas = deltas();
    for (int place = 0; columns.next(); place++) {
      String name = batch.name(columns.nameIndex());
      Long delta = deltas.isPresent() ? deltas.get().at(place).orElse(null) : null;
      decoded.add(new RecordColumn(name, columns.isDelete() ? null : columns.value(), delta));
    }
    return decoded;
  }

  /**
   * The atomic batch of the change; empty when the change was written alone. Its changes follow
   * each other in one input, however an input is divided.
   */
  public Optional<AtomicBatch> atomicBatch() {
    return batch.isAtomic()
        ? Optional.of(
            new AtomicBatch(
                batch.basePosition(),
                Math.toIntExact(position - batch.basePosition()),
                batch.rowCount()))
        : Optional.empty();
  }

  /** The columns before the change: empty, because tables keep no before images. */
  public List<RecordColumn> getOriginColumns() {
    return List.of();
  }

  /** Position and commit time of the record. */
  public RecordSequenceInfo getSequenceInfo() {
    return new RecordSequenceInfo(position, batch.commitMicros());
  }

  /** Position of the change in its partition. */
  public long position() {
    return position;
  }

  /** Commit time of the change, in microseconds since 1970. */
  public long commitMicros() {
    return batch.commitMicros();
  }

  /** The partition of the row. */
  public int partition() {
    return batch.partition();
  }

  /** Encoded size of the change in bytes: key and columns, without the columns' names. */
  public int byteCount() {
    return rowEnd - RowCursor.rowOffsetBefore(keyOffset, columnsOffset, rowEnd);
  }

  private ColumnCursor columns() {
    int columnsEnd = RowCursor.columnsEndBefore(batch.array(), keyOffset, columnsOffset, rowEnd);
    return new ColumnCursor(batch.array(), columnsOffset, columnsEnd);
  }

  @Override
  public String toString() {
    String kind = getRecordType() + deletionCause().map(cause -> " " + cause).orElse("");
    return position + " " + kind + " " + getPrimaryKey() + " " + getColumns();
  }
}
