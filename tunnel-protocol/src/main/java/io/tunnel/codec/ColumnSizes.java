package io.tunnel.codec;

/** The size of the largest value of each column of a batch. */
public final class ColumnSizes {

  private final int[] bytesMaxByName;
  private final NameSet named = new NameSet();

  ColumnSizes(int nameCount) {
    bytesMaxByName = new int[nameCount];
  }

  /** Measures every column of a validated batch. */
  public static ColumnSizes of(ChangeBatch batch) {
    ColumnSizes sizes = new ColumnSizes(batch.nameCount());
    RowCursor row = batch.rows();
    while (row.next()) {
      ColumnCursor columns = row.columns();
      while (columns.next()) {
        sizes.saw(columns);
      }
    }
    return sizes;
  }

  void saw(ColumnCursor column) {
    int name = column.nameIndex();
    boolean unused = named.add(name);
    if (column.isDelete()) {
      return;
    }
    bytesMaxByName[name] = Math.max(bytesMaxByName[name], column.columnEnd() - column.typeOffset());
  }

  /**
   * The most bytes of type and value of a column.
   *
   * @param name the index of the name in the batch's dictionary
   * @return 0 when no row sets the column
   */
  public int bytesMax(int name) {
    return bytesMaxByName[name];
  }

  /** Whether a row sets or removes the column. */
  boolean isNamed(int name) {
    return !named.isNew(name);
  }
}
