package io.tunnel.server.replica.shared;

import io.tunnel.codec.ChangeBatch;
import java.util.Arrays;

/** The value of a record, taken apart by offsets. */
public final class RecordValue {

  private final byte[] array;
  private final boolean isUpdate;
  private final Part change;
  private final Part row;

  /**
   * Columns and their names.
   *
   * @param nameCount names that stand between {@code namesOffset} and {@code namesEnd}
   * @param columnsOffset where the columns start: their count, then the columns
   */
  record Part(int nameCount, int namesOffset, int namesEnd, int columnsOffset, int columnsEnd) {
    int namesBytes() {
      return namesEnd - namesOffset;
    }

    int columnsBytes() {
      return columnsEnd - columnsOffset;
    }
  }

  RecordValue(byte[] array, boolean isUpdate, Part change, Part row) {
    this.array = array;
    this.isUpdate = isUpdate;
    this.change = change;
    this.row = row;
  }

  /** No row, but the names of all rows of a batch. */
  static RecordValue namesOf(ChangeBatch batch) {
    int from = batch.dictionaryOffset();
    int end = from + batch.dictionaryBytes();
    Part names = new Part(batch.nameCount(), from, end, end, end);
    return new RecordValue(batch.array(), false, names, names);
  }

  byte[] array() {
    return array;
  }

  boolean isUpdate() {
    return isUpdate;
  }

  /** What was changed. */
  Part change() {
    return change;
  }

  /** The whole row after the change; the same object as {@link #change} unless it is an update. */
  Part row() {
    return row;
  }

  /** Whether both have the same names in the same order, in the change and in the row. */
  boolean hasNamesOf(RecordValue other) {
    if (this == other) {
      return true;
    }
    return hasNames(change, other, other.change)
        && ((!isUpdate && !other.isUpdate) || hasNames(row, other, other.row));
  }

  private boolean hasNames(Part part, RecordValue other, Part otherPart) {
    return Arrays.equals(
        array,
        part.namesOffset(),
        part.namesEnd(),
        other.array,
        otherPart.namesOffset(),
        otherPart.namesEnd());
  }
}
