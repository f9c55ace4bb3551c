package io.tunnel.bench.flink;

/**
 * The share of one task in a {@link RowCount}: it reports its first row, and then batches of rows,
 * so that counting costs next to nothing. For one thread; a thread that reads the unreported rows
 * waits until the owner has finished.
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
