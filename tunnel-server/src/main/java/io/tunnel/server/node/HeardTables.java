package io.tunnel.server.node;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.TableLogs;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The logs of tables whose leaders follow the catalog. A leader has heard of each alteration after
 * the time from which on no life ends by an older catalog ({@link CatalogClock}).
 *
 * @param later calls back; never after the node has stopped
 * @param ageMsMax the age from which on no life ends by a catalog
 */
record HeardTables(TableLogs logs, Later later, long ageMsMax) implements TableLogs {

  @Override
  public boolean areShared() {
    return logs.areShared();
  }

  @Override
  public CompletableFuture<Void> heard() {
    CompletableFuture<Void> heard = new CompletableFuture<>();
    // No caller is answered any more when the node stops.
    var unused = later.after(ageMsMax, () -> heard.complete(null));
    return heard;
  }

  @Override
  public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
    return logs.create(table);
  }

  @Override
  public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
    return logs.alter(table, options);
  }

  @Override
  public CompletableFuture<Void> drop(TableRecord table) {
    return logs.drop(table);
  }
}
