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

  private final TableStore table;
  private final RowBounds bounds;
  private final IntPredicate live;
  private final List<ChangeBatch> group = new ArrayList<>();

  /**
   * For a table that is just opened.
   *
   * @param live which partitions exist; changes of others are left behind
   */
  public Refold(TableStore table, IntPredicate live) {
    this.table = table;
    this.bounds = new RowBounds(table.bounds(), table.isNew());
    this.live = live;
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
    table.fold(group, end, new BesideRows(Map.of(), bounds.takeRaised()));
    group.clear();
  }
}
