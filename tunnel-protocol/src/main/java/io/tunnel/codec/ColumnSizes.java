package io.tunnel.codec;

/** How large the largest value of each column of a batch is. */
public final class ColumnSizes {

  private final int[] bytesMaxByName;

  ColumnSizes(int nameCount) {
    bytesMaxByName = new int[nameCount];
  }

  /** Looks at every column of a batch that a {@link BatchValidator} took once. */
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
    bytesMaxByName[name] = Math.max(bytesMaxByName[name], column.columnEnd() - column.typeOffset());
  }

  /**
   * Bytes of type and value of the largest column with a name.
   *
   * @param name its index in the batch's dictionary
   * @return 0 when no row has such a column
   */
  public int bytesMax(int name) {
    return bytesMaxByName[name];
  }
}
