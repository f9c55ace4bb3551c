package io.tunnel.flink.table.lookup;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;

/** A lookup join with concurrent requests; Flink sets how many. */
public final class AsyncLookup extends AsyncLookupFunction {

  private static final long serialVersionUID = 1L;

  private final RowLookup rows;

  public AsyncLookup(RowLookup rows) {
    this.rows = rows;
  }

  @Override
  public void open(FunctionContext opening) {
    rows.open();
  }

  @Override
  public CompletableFuture<Collection<RowData>> asyncLookup(RowData values) {
    return rows.findAsync(values);
  }

  @Override
  public void close() {
    rows.close();
  }
}
