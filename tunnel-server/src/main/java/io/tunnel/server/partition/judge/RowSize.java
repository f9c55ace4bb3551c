package io.tunnel.server.partition.judge;

import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Limits;
import java.util.HashMap;
import java.util.Map;

/**
 * The columns of a row and how large each is. An update adds to a row that is stored, so that every
 * update may be legal and their sum is not: such a row could neither be read nor updated again.
 */
final class RowSize {

  /** Length, flags, the key's length and the count of columns, as a batch holds them. */
  private static final long OVERHEAD_BYTES = 16;

  /** No batch names so many columns that an index takes more. */
  private static final long NAME_INDEX_BYTES_MAX = 2;

  private final Map<String, Integer> bytesByColumn;

  /**
   * A row.
   *
   * @param bytesByColumn bytes of each column's type and value
   */
  RowSize(Map<String, Integer> bytesByColumn) {
    this.bytesByColumn = Map.copyOf(bytesByColumn);
  }

  /** A row without columns. */
  static RowSize empty() {
    return new RowSize(Map.of());
  }

  /** The row after an update; on an empty row, a put does the same. */
  RowSize after(RowCursor row) {
    Map<String, Integer> after = new HashMap<>(bytesByColumn);
    ColumnCursor columns = row.columns();
    while (columns.next()) {
      String name = row.batch().name(columns.nameIndex());
      if (columns.isDelete()) {
        after.remove(name);
      } else {
        after.put(name, columns.columnEnd() - columns.typeOffset());
      }
    }
    return new RowSize(after);
  }

  /** Whether a row with a key of {@code keyBytes} bytes may be as large. */
  boolean isLegal(int keyBytes) {
    long bytes = keyBytes;
    for (int columnBytes : bytesByColumn.values()) {
      bytes += columnBytes;
    }
    return isLegal(bytesByColumn.size(), bytes);
  }

  /**
   * Whether a row may be as large.
   *
   * @param bytes of its key, and of its columns' types and values
   */
  static boolean isLegal(long columns, long bytes) {
    return columns <= Limits.ROW_COLUMNS_MAX
        && OVERHEAD_BYTES + NAME_INDEX_BYTES_MAX * columns + bytes <= Limits.ROW_BYTES_MAX;
  }
}
