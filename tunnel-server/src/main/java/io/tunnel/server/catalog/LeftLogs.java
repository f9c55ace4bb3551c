package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Logs of tables that are there before, or after, their tables are. */
public interface LeftLogs {

  /** The tables that have one. */
  CompletableFuture<Set<Integer>> tables();

  /** The origin of a table's log. */
  CompletableFuture<Bytes> origin(TableRecord table);

  /** Deletes the log that a dropped table has left. */
  CompletableFuture<Void> drop(DroppedLog log);
}
