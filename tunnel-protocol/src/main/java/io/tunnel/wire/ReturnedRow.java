package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a row of a write returns. A list of them has for each: a varint with the rows between the
 * former and this one, {@code u8} kind, and with {@link Kind#GIVEN} a varint length and the columns
 * as a batch has them: a count as a varint, then for each its place among the names that the row
 * asked for, as a varint, its type and its value. A column that the row does not have is left out.
 *
 * @param rowIndex the index of the row in its batch
 * @param columns the encoded columns; empty unless they are given
 */
public record ReturnedRow(int rowIndex, Kind kind, Bytes columns) {

  private static final Kind[] KINDS = {
    null, Kind.GIVEN, Kind.ABSENT, Kind.NOT_KEPT, Kind.TOO_LARGE
  };

  private static final byte[] NO_COLUMNS = {0};

  /** Bytes of a row without columns, at least. */
  private static final int BYTES_MIN = 2;

  /** What is returned. */
  public enum Kind {
    /** The key and the columns. */
    GIVEN(1),
    /** There is no row: the change has removed the row, or was refused because there was none. */
    ABSENT(2),
    /** The batch was answered before, and the columns of that answer were too many to be kept. */
    NOT_KEPT(3),
    /** The columns do not fit into the answer to the batch. */
    TOO_LARGE(4);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  /** Refuses columns that are not given. */
  public ReturnedRow {
    if ((kind == Kind.GIVEN) == (columns.length() == 0)) {
      throw new IllegalArgumentException(kind + " with " + columns.length() + " bytes of columns");
    }
  }

  /** A row that returns no columns. */
  public ReturnedRow(int rowIndex, Kind kind) {
    this(rowIndex, kind, Bytes.EMPTY);
  }

  /** A cursor before the first column; its name index is the place among the asked names. */
  public ColumnCursor cursor() {
    byte[] array = kind == Kind.GIVEN ? columns.toByteArray() : NO_COLUMNS;
    return new ColumnCursor(array, 0, array.length);
  }

  /** Whether a repetition of the batch is answered with these rows again. */
  public static boolean areKept(List<ReturnedRow> rows) {
    return bytes(rows) <= Limits.RETURNED_AGAIN_BYTES_MAX;
  }

  /** Bytes of a list, at least. */
  public static int bytes(List<ReturnedRow> rows) {
    int bytes = 0;
    for (ReturnedRow row : rows) {
      bytes += BYTES_MIN + row.columns().length();
    }
    return bytes;
  }

  /**
   * What the rows of a repeated batch return whose columns were not kept.
   *
   * @param rejections the rows of the batch that are not applied
   */
  public static List<ReturnedRow> notKept(ChangeBatch batch, List<Rejection> rejections) {
    Map<Integer, ErrorCode> refused = new HashMap<>();
    rejections.forEach(each -> refused.put(each.rowIndex(), each.code()));
    List<ReturnedRow> rows = new ArrayList<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      ErrorCode code = refused.get(row.index());
      if (code != ErrorCode.BATCH_REFUSED
          && row.returning().filter(asked -> asked.isOf(code == null)).isPresent()) {
        rows.add(new ReturnedRow(row.index(), Kind.NOT_KEPT));
      }
    }
    return rows;
  }

  /** Writes a list, in the order of the rows. */
  public static void write(ByteSink sink, List<ReturnedRow> rows) {
    int next = 0;
    for (ReturnedRow row : rows) {
      sink.writeVarint(row.rowIndex() - next);
      sink.writeByte(row.kind().code);
      if (row.kind() == Kind.GIVEN) {
        sink.writeVarint(row.columns().length());
        sink.write(row.columns());
      }
      next = row.rowIndex() + 1;
    }
  }

  /**
   * Reads a list of rows of a batch that has {@code rows} rows.
   *
   * @throws MalformedException for bytes that are no such list
   */
  public static List<ReturnedRow> read(Bytes list, int rows) {
    byte[] array = list.toByteArray();
    List<ReturnedRow> read = new ArrayList<>();
    long next = 0;
    for (int at = 0; at < array.length; ) {
      long skipped = Binary.getVarint(array, at, array.length);
      long index = next + Binary.value(skipped);
      int kindAt = Binary.next(skipped);
      if (index >= rows || kindAt >= array.length) {
        throw new MalformedException(
            "row " + index + " of " + rows + " returns something, or is cut off");
      }
      Kind kind = kind(array[kindAt]);
      at = kindAt + 1;
      Bytes columns = Bytes.EMPTY;
      if (kind == Kind.GIVEN) {
        long length = Binary.getVarint(array, at, array.length);
        int from = Binary.next(length);
        int bytes = Binary.value(length);
        if (bytes == 0 || bytes > array.length - from) {
          throw new MalformedException("the columns that row " + index + " returns are cut off");
        }
        requireColumns(array, from, from + bytes);
        columns = Bytes.copyOf(array, from, bytes);
        at = from + bytes;
      }
      read.add(new ReturnedRow((int) index, kind, columns));
      next = index + 1;
    }
    return read;
  }

  private static Kind kind(int code) {
    if (code < 1 || code >= KINDS.length) {
      throw new MalformedException("a row returns " + code + ", which is not of 1 to 4");
    }
    return KINDS[code];
  }

  private static void requireColumns(byte[] array, int from, int end) {
    int before = -1;
    for (ColumnCursor columns = new ColumnCursor(array, from, end); columns.next(); ) {
      if (columns.isDelete() || columns.nameIndex() <= before) {
        throw new MalformedException(
            "a row returns column " + columns.nameIndex() + " after column " + before);
      }
      columns.requireValue();
      before = columns.nameIndex();
    }
  }
}
