package io.tunnel.server.net;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.LogFeature;
import io.tunnel.server.partition.TableLogs;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Logs that have these features, whatever {@code logs} have. */
record LogsWith(Set<LogFeature> features, TableLogs logs) implements TableLogs {

  @Override
  public boolean areShared() {
    return logs.areShared();
  }

  @Override
  public boolean has(LogFeature feature) {
    return features.contains(feature);
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
