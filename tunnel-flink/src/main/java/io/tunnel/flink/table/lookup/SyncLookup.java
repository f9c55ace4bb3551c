package io.tunnel.flink.table.lookup;

import java.io.IOException;
import java.util.Collection;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;

/** A lookup join that waits for each row. */
public final class SyncLookup extends LookupFunction {

  private static final long serialVersionUID = 1L;

  private final RowLookup rows;

  public SyncLookup(RowLookup rows) {
    this.rows = rows;
  }

  @Override
  public void open(FunctionContext opening) {
    rows.open();
  }

  @Override
  public Collection<RowData> lookup(RowData values) throws IOException {
    try {
      return rows.find(values);
    } catch (RuntimeException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    rows.close();
  }
}
