package io.tunnel.server.partition.judge;

import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.Limits;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjIntConsumer;

/**
 * How large a row is after the updates of a group. An update adds to a row that is stored, so that
 * every update may be legal and their sum is not: such a row could neither be read nor updated
 * again.
 *
 * <p>A row has up to 1,024 columns and a group has many rows, so only the columns that updates name
 * are kept one by one; of the others the count and the bytes. An update that names another column
 * looks at the row below once more.
 */
final class RowSize {

  /** Length, flags, the key's length and the count of columns, as a batch holds them. */
  private static final long OVERHEAD_BYTES = 16;

  /** The largest size of a name index; a batch names too few columns for a larger one. */
  private static final long NAME_INDEX_BYTES_MAX = 2;

  /** The size of a missing column; a present column takes at least one byte, for its type. */
  private static final int ABSENT = 0;

  private final Columns below;

  /** Bytes of the columns that updates have named so far, as they are now; or {@link #ABSENT}. */
  private final Map<String, Integer> bytesByName = new HashMap<>();

  private boolean isCounted;

  /** Columns of the row as it is now, once {@link #isCounted}. */
  private int columns;

  /** Bytes of the types and values of {@link #columns}. */
  private long columnBytes;

  /** The columns of the row that the first update finds: stored, put by the group, or none. */
  @FunctionalInterface
  interface Columns {
    /** Tells the name of each, and the bytes of its type and value. */
    void forEach(ObjIntConsumer<String> column);
  }

  /** A row before any update. */
  RowSize(Columns below) {
    this.below = below;
  }

  /** The columns that a PUT sets. */
  static void columns(RowCursor put, ObjIntConsumer<String> column) {
    ColumnCursor columns = put.columns();
    while (columns.next()) {
      column.accept(
          put.batch().name(columns.nameIndex()), columns.columnEnd() - columns.typeOffset());
    }
  }

  /** Applies an update that makes a row of a legal size; false, and nothing is applied, if not. */
  boolean updateIfLegal(RowCursor update) {
    return update(update, true);
  }

  /** Applies an update that is known to make a row of a legal size. */
  void update(RowCursor update) {
    boolean unused = update(update, false);
  }

  private boolean update(RowCursor update, boolean mustBeLegal) {
    Map<String, Integer> named = named(update);
    learn(named.keySet());
    int columnsAfter = columns;
    long bytesAfter = columnBytes;
    for (Map.Entry<String, Integer> column : named.entrySet()) {
      int before = bytesByName.get(column.getKey());
      int after = column.getValue();
      columnsAfter += (after == ABSENT ? 0 : 1) - (before == ABSENT ? 0 : 1);
      bytesAfter += after - before;
    }
    if (mustBeLegal && !isLegal(columnsAfter, update.keyBytes() + bytesAfter)) {
      return false;
    }
    bytesByName.putAll(named);
    columns = columnsAfter;
    columnBytes = bytesAfter;
    return true;
  }

  private static Map<String, Integer> named(RowCursor update) {
    Map<String, Integer> named = new HashMap<>();
    ColumnCursor columns = update.columns();
    while (columns.next()) {
      named.put(
          update.batch().name(columns.nameIndex()),
          columns.isDelete() ? ABSENT : columns.columnEnd() - columns.typeOffset());
    }
    return named;
  }

  /** Looks at the row below unless everything is known of these columns. */
  private void learn(Set<String> names) {
    if (isCounted && bytesByName.keySet().containsAll(names)) {
      return;
    }
    boolean isFirst = !isCounted;
    Map<String, Integer> found = new HashMap<>();
    below.forEach(
        (name, bytes) -> {
          if (isFirst) {
            columns++;
            columnBytes += bytes;
          }
          if (names.contains(name)) {
            found.put(name, bytes);
          }
        });
    names.forEach(name -> bytesByName.putIfAbsent(name, found.getOrDefault(name, ABSENT)));
    isCounted = true;
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
