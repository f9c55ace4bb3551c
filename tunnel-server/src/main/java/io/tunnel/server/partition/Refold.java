package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/** Folds what a log has and a table has not, when the table is opened, or made again. */
public final class Refold implements LocalLog.ReplayVisitor {

  private final Into into;
  private final RowBounds bounds;
  private final IntPredicate live;
  private final List<ChangeBatch> group = new ArrayList<>();

  /**
   * For a table that is just opened.
   *
   * @param live which partitions exist; changes of others are left behind
   */
  public Refold(TableStore table, IntPredicate live) {
    this(table, live, table::fold);
  }

  /** As {@link #Refold(TableStore, IntPredicate)}, by way of {@code into}. */
  Refold(TableStore table, IntPredicate live, Into into) {
    this.into = into;
    this.bounds = new RowBounds(table.bounds(), table.isNew());
    this.live = live;
  }

  /** Where changes are folded into. */
  @FunctionalInterface
  interface Into {
    /** See {@link TableStore#fold(List, long, BesideRows)}. */
    void fold(List<ChangeBatch> batches, long end, BesideRows beside) throws IOException;
  }

  /** What the rows do not exceed. */
  RowBounds bounds() {
    return bounds;
  }

  @Override
  public void batch(ChangeBatch batch) {
    if (live.test(batch.partition())) {
      group.add(batch);
      bounds.saw(batch, ColumnSizes.of(batch));
    }
  }

  @Override
  public void groupEnd(long end) throws IOException {
    try {
      into.fold(group, end, new BesideRows(Map.of(), bounds.takeRaised()));
    } finally {
      group.clear();
    }
  }
}
