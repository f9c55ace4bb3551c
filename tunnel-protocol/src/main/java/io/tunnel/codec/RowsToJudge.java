package io.tunnel.codec;

/**
 * Walks over the rows of a writer's batch to evaluate them. {@link IncrementCore} puts the results
 * of increments into the rows, so from the first row with an increment on the walk is over a copy:
 * the writer's batch stays as it is, to be evaluated again by another leader or with another group.
 */
public final class RowsToJudge {

  private ChangeBatch batch;
  private RowCursor row;
  private boolean isCopy;

  /** Before the first row. */
  public RowsToJudge(ChangeBatch batch) {
    this.batch = batch;
    this.row = batch.rows();
  }

  /** Moves to the next row; false after the last. */
  public boolean next() {
    if (!row.next()) {
      return false;
    }
    if (!isCopy && row.hasIncrements()) {
      batch = batch.copy();
      row = row.in(batch);
      isCopy = true;
    }
    return true;
  }

  /** The row that {@link #next} moved to. */
  public RowCursor row() {
    return row;
  }

  /** The batch, with the results of the increments of all rows so far that were accepted. */
  public ChangeBatch batch() {
    return batch;
  }
}
