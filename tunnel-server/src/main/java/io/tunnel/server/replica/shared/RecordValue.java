package io.tunnel.server.replica.shared;

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
