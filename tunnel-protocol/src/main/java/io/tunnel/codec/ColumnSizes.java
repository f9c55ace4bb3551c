package io.tunnel.codec;

/** How large the largest value of each column of a batch is. */
public final class ColumnSizes {

  private final int[] bytesMaxByName;
  private final NameSet named = new NameSet();

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
    boolean unused = named.add(name);
    if (column.isDelete()) {
      return;
    }
    bytesMaxByName[name] = Math.max(bytesMaxByName[name], column.columnEnd() - column.typeOffset());
  }

  /**
   * Bytes of type and value of the largest column with a name.
   *
   * @param name its index in the batch's dictionary
   * @return 0 when no row sets such a column
   */
  public int bytesMax(int name) {
    return bytesMaxByName[name];
  }

  /** Whether any row names that column, be it to remove it. */
  boolean isNamed(int name) {
    return !named.isNew(name);
  }
}
