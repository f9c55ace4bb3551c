package io.tunnel.codec;

import io.tunnel.codec.FormatFeature.Place;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.Returning;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * Walks over the rows of a batch; shows the parts of a row as offsets into the batch's array. Not
 * thread-safe.
 */
public final class RowCursor {

  /** The bit of a row's flags that says that {@link Attributes} stand after its columns. */
  public static final int ATTRIBUTES_FLAG = 0x10;

  /** Flags, the length of a key, a count of columns. */
  private static final int ROW_BYTES_MIN = 3;

  /** The bits of the flags of a row without attributes. */
  private static final int KINDS_AND_CONDITIONS = 0x0f;

  private static final ChangeKind[] KINDS = {
    null, ChangeKind.PUT, ChangeKind.UPDATE, ChangeKind.DELETE
  };
  private static final RowExistenceExpectation[] CONDITIONS = {
    RowExistenceExpectation.IGNORE,
    RowExistenceExpectation.EXPECT_EXIST,
    RowExistenceExpectation.EXPECT_NOT_EXIST
  };

  private final ChangeBatch batch;
  private final byte[] array;
  private final int rowCount;
  private final int end;
  private int index = -1;
  private int rowOffset;
  private int rowEnd;

  /** Where the columns end: at the attributes, or at the end of the row. */
  private int columnsEnd;

  private int flags;
  private int keyOffset;
  private int keyBytes;

  RowCursor(ChangeBatch batch) {
    this.batch = batch;
    this.array = batch.array();
    this.rowCount = batch.rowCount();
    this.end = batch.dictionaryOffset();
    this.rowEnd = batch.rowsOffset();
  }

  /**
   * Moves to the next row; false after the last.
   *
   * @throws MalformedException when the row is cut off, or bytes follow the last row
   */
  public boolean next() {
    if (index + 1 >= rowCount) {
      if (rowEnd != end) {
        throw new MalformedException((end - rowEnd) + " bytes after a batch's last row");
      }
      return false;
    }
    rowOffset = rowEnd;
    moveTo(rowOffset);
    index++;
    return true;
  }

  /**
   * Moves to the row at {@code offset}, a result of {@link #rowOffset}; {@link #index} has no
   * meaning then.
   */
  public void moveTo(int offset) {
    rowOffset = offset;
    long length = Binary.getVarint(array, offset, end);
    int flagsAt = Binary.next(length);
    int bytes = Binary.value(length);
    if (bytes > Limits.ROW_BYTES_MAX) {
      throw new MalformedException(
          ErrorCode.ROW_TOO_LARGE,
          "a row of " + bytes + " bytes; at most " + Limits.ROW_BYTES_MAX + " are allowed");
    }
    if (bytes > end - flagsAt || bytes < ROW_BYTES_MIN) {
      throw new MalformedException(
          "a row of " + bytes + " bytes where " + (end - flagsAt) + " are left");
    }
    rowEnd = flagsAt + bytes;
    flags = array[flagsAt];
    columnsEnd = rowEnd;
    if ((flags & ~KINDS_AND_CONDITIONS) != 0) {
      requireFlags(flagsAt);
    }
    int kind = flags & BatchLayout.KIND_MASK;
    if (kind == 0 || conditionCode() >= CONDITIONS.length) {
      throw new MalformedException("a row with flags " + (flags & 0xff));
    }
    long key = Binary.getVarint(array, flagsAt + 1, rowEnd);
    keyOffset = Binary.next(key);
    keyBytes = Binary.value(key);
    if (keyBytes > columnsEnd - keyOffset) {
      throw new MalformedException("a key of " + keyBytes + " bytes in a row of " + bytes);
    }
  }

  /** Looks at what few rows have, outside of the method that each row runs through. */
  private void requireFlags(int flagsAt) {
    if ((flags & ~BatchLayout.FLAGS_MASK) != 0) {
      throw new NewerFormatException("a row with flags " + (flags & 0xff));
    }
    columnsEnd = Attributes.begin(Place.ROW, array, flagsAt + 1, rowEnd);
    Attributes.requireUnderstood(Place.ROW, array, columnsEnd, rowEnd - Attributes.LENGTH_BYTES);
  }

  private int conditionCode() {
    return flags >>> BatchLayout.CONDITION_SHIFT & BatchLayout.CONDITION_MASK;
  }

  /** Whether the row has attributes. */
  public boolean hasAttributes() {
    return columnsEnd < rowEnd;
  }

  /** The list of {@link Attributes} of the row; empty without attributes. */
  public Bytes attributes() {
    return hasAttributes()
        ? Bytes.copyOf(array, columnsEnd, rowEnd - Attributes.LENGTH_BYTES - columnsEnd)
        : Bytes.EMPTY;
  }

  /** The offset after the columns, where the attributes begin or the row ends. */
  public int columnsEnd() {
    return columnsEnd;
  }

  /** The batch of the rows. */
  public ChangeBatch batch() {
    return batch;
  }

  /** The row's index in its batch, from 0. */
  public int index() {
    return index;
  }

  /** The offset of the row, including its length. */
  public int rowOffset() {
    return rowOffset;
  }

  /** The offset after the row. */
  public int rowEnd() {
    return rowEnd;
  }

  /** The kind of the change. */
  public ChangeKind kind() {
    return KINDS[flags & BatchLayout.KIND_MASK];
  }

  /**
   * The kind of the change whose key lies between {@code keyOffset} and {@code columnsOffset}, both
   * from a cursor. Numbers are never padded, so the key's length determines the bytes before the
   * key.
   */
  public static ChangeKind kindBefore(byte[] array, int keyOffset, int columnsOffset) {
    return KINDS[array[flagsBefore(keyOffset, columnsOffset)] & BatchLayout.KIND_MASK];
  }

  /**
   * Where the columns of that row end; {@code rowEnd} is from the cursor too, and the row was read
   * by one.
   */
  public static int columnsEndBefore(byte[] array, int keyOffset, int columnsOffset, int rowEnd) {
    boolean hasAttributes = (array[flagsBefore(keyOffset, columnsOffset)] & ATTRIBUTES_FLAG) != 0;
    return hasAttributes ? Attributes.begin(Place.ROW, array, columnsOffset, rowEnd) : rowEnd;
  }

  /** What was added to columns of that row; {@code rowEnd} is from the cursor too. */
  public static Optional<Increments> deltasBefore(
      byte[] array, int keyOffset, int columnsOffset, int rowEnd) {
    int columnsEnd = columnsEndBefore(array, keyOffset, columnsOffset, rowEnd);
    return columnsEnd == rowEnd
        ? Optional.empty()
        : Attributes.find(
                FormatFeature.DELTA.number(), array, columnsEnd, rowEnd - Attributes.LENGTH_BYTES)
            .map(Increments::decode);
  }

  /** Why the server deleted that row by itself; {@code rowEnd} is from the cursor too. */
  public static Optional<DeletionCause> causeBefore(
      byte[] array, int keyOffset, int columnsOffset, int rowEnd) {
    int columnsEnd = columnsEndBefore(array, keyOffset, columnsOffset, rowEnd);
    return columnsEnd == rowEnd
        ? Optional.empty()
        : Attributes.find(
                FormatFeature.CAUSE.number(), array, columnsEnd, rowEnd - Attributes.LENGTH_BYTES)
            .map(ExpiredRows::cause);
  }

  /** The offset of this row, including its length. */
  public static int rowOffsetBefore(int keyOffset, int columnsOffset, int rowEnd) {
    int flagsAt = flagsBefore(keyOffset, columnsOffset);
    return flagsAt - Binary.varintBytes(rowEnd - flagsAt);
  }

  private static int flagsBefore(int keyOffset, int columnsOffset) {
    return keyOffset - Binary.varintBytes(columnsOffset - keyOffset) - 1;
  }

  /** The condition of the change on the existence of the row. */
  public RowExistenceExpectation condition() {
    return CONDITIONS[conditionCode()];
  }

  /** The condition of the change on the columns of the row, encoded. */
  public Optional<Bytes> columnCondition() {
    return attribute(FormatFeature.CONDITION);
  }

  Optional<Bytes> attribute(FormatFeature feature) {
    return hasAttributes()
        ? Attributes.find(feature.number(), array, columnsEnd, rowEnd - Attributes.LENGTH_BYTES)
        : Optional.empty();
  }

  /** Whether the change has a condition, on the existence of the row or on its columns. */
  public boolean isConditional() {
    return conditionCode() != 0 || columnCondition().isPresent();
  }

  /** What the server that evaluates the change is to add to columns; a log has none. */
  public Optional<Increments> increments() {
    return attribute(FormatFeature.INCREMENT).map(Increments::decode);
  }

  /** Whether the change adds to columns that a server has to read first. */
  public boolean hasIncrements() {
    return attribute(FormatFeature.INCREMENT).isPresent();
  }

  /** What the result of the change returns of the row; a log has none. */
  public Optional<Returning> returning() {
    return attribute(FormatFeature.RETURNING).map(ReturningCodec::decode);
  }

  /** Whether the result of the change returns anything of the row. */
  public boolean hasReturning() {
    return attribute(FormatFeature.RETURNING).isPresent();
  }

  /** Whether the server is to choose the number of the row's key; a log has no such row. */
  public boolean isAuto() {
    return attribute(FormatFeature.AUTO).isPresent();
  }

  /** What was added to columns whose results the change sets. */
  public Optional<Increments> deltas() {
    return attribute(FormatFeature.DELTA).map(Increments::decode);
  }

  /** Why the server writes the DELETE by itself; empty for a writer's change. */
  public Optional<DeletionCause> deletionCause() {
    return attribute(FormatFeature.CAUSE).map(ExpiredRows::cause);
  }

  /** Whether the change is a DELETE by which the server says that the row has expired. */
  public boolean isExpiry() {
    return hasAttributes() && deletionCause().equals(Optional.of(DeletionCause.EXPIRED));
  }

  /** The session that the row is bound to from this change on. */
  public Optional<Long> session() {
    return attribute(FormatFeature.BOUND).map(SessionProof::session);
  }

  /**
   * Whether what becomes of the change, or what its result returns, depends on its row: on a
   * condition, on an increment, or on the row's expiry.
   */
  public boolean mustBeJudged() {
    return isConditional() || hasIncrements() || hasReturning() || isExpiry();
  }

  /** Whether the change has attributes that no log has. */
  public boolean isForJudging() {
    return hasAttributes()
        && (columnCondition().isPresent() || hasIncrements() || hasReturning() || isAuto());
  }

  /**
   * The {@link #attributes} of the change when it is evaluated: the log has no condition on
   * columns, so no reader of the log evaluates one again, nothing for the writer's answer, and a
   * key with its number, and says of increments what they added.
   */
  public Bytes attributesToLog() {
    if (!hasAttributes()) {
      return Bytes.EMPTY;
    }
    Bytes list = attributes();
    if (columnCondition().isPresent()) {
      list = Attributes.without(FormatFeature.CONDITION.number(), list);
    }
    if (hasReturning()) {
      list = Attributes.without(FormatFeature.RETURNING.number(), list);
    }
    if (isAuto()) {
      list = Attributes.without(FormatFeature.AUTO.number(), list);
    }
    Optional<Bytes> increments = attribute(FormatFeature.INCREMENT);
    if (increments.isPresent()) {
      list = Attributes.without(FormatFeature.INCREMENT.number(), list);
      list = Attributes.with(FormatFeature.DELTA.number(), increments.get(), list);
    }
    return list;
  }

  /** The same row of a batch that has the same bytes, or others in the values of its columns. */
  public RowCursor in(ChangeBatch copy) {
    RowCursor cursor = new RowCursor(copy);
    cursor.moveTo(rowOffset - batch.offset() + copy.offset());
    cursor.index = index;
    return cursor;
  }

  /** The offset of the key. */
  public int keyOffset() {
    return keyOffset;
  }

  /** How many bytes the key has. */
  public int keyBytes() {
    return keyBytes;
  }

  /** The offset of the columns: a count as a varint, then the columns. */
  public int columnsOffset() {
    return keyOffset + keyBytes;
  }

  /** The size of the columns in bytes, including the count. */
  public int columnsBytes() {
    return columnsEnd - columnsOffset();
  }

  /** A cursor before the row's first column. */
  public ColumnCursor columns() {
    return new ColumnCursor(array, columnsOffset(), columnsEnd);
  }
}
