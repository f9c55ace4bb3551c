package io.tunnel.bench.flink;

/**
 * One task's share of a {@link RowCount}: it tells of its first row, and then of many at once, so
 * that counting costs next to nothing. For one thread; a thread that looks at what it has not told
 * waits until the owner is done.
 */
final class RowTally {

  private final RowCount all;
  private int left = 1;
  private int rows;
  private long amounts;

  RowTally(RowCount all) {
    this.all = all;
  }

  /** A row was seen, with that integer attribute. */
  void row(long amount) {
    rows++;
    amounts += amount;
    if (rows == left) {
      all.arrived(rows, amounts, 0);
      left = RowCount.STEP_ROWS;
      rows = 0;
      amounts = 0;
    }
  }

  int untold() {
    return rows;
  }

  long untoldAmounts() {
    return amounts;
  }
}
