package io.tunnel.stress.rows;

import io.tunnel.model.RowChange;

/** Where the rows of one sender come from. Used by one thread at a time. */
public interface RowSource {

  /**
   * The next row, or null behind the last.
   *
   * @throws BadLineException when the rows come from a file whose next line is no row
   */
  RowChange next();

  /**
   * The writer will not take the row that {@link #next} gave last, because of {@code why}. Returns
   * when the source can do without it.
   */
  default void refused(IllegalArgumentException why) {
    throw why;
  }
}
