package io.tunnel.cli.rows;

import io.tunnel.model.RowChange;
import io.tunnel.stress.rows.RowSource;
import java.util.function.UnaryOperator;

/**
 * The rows of a source, turned into other changes. A row that {@code change} refuses counts as a
 * bad line.
 */
record ChangedRows(RowSource rows, UnaryOperator<RowChange> change) implements RowSource {

  @Override
  public RowChange next() {
    for (RowChange row = rows.next(); row != null; row = rows.next()) {
      try {
        return change.apply(row);
      } catch (IllegalArgumentException e) {
        rows.refused(e);
      }
    }
    return null;
  }

  @Override
  public void refused(IllegalArgumentException why) {
    rows.refused(why);
  }
}
