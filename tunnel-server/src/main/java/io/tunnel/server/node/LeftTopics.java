package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the topics of tables when a node begins to lead the catalog. It deletes a topic only
 * because the catalog says that the topic's table was dropped, never because the catalog does not
 * know the table: a catalog may have lost tables. It names topics without a table in the log, so
 * that people can decide about them.
 *
 * @param control the thread of the catalog
 */
record LeftTopics(Catalog catalog, Topics topics, Executor control) {

  /** Most topics that a look deletes, and most topics that a log line names. */
  static final int AT_ONCE_MAX = 100;

  private static final Logger LOGGER = LoggerFactory.getLogger(LeftTopics.class);

  /** The topics of tables; a future may be completed by any thread. */
  interface Topics {

    /** Ids of the tables that have a topic. */
    CompletableFuture<Set<Integer>> tables();

    /** Deletes the topic of a dropped table, if it exists. */
    CompletableFuture<Void> drop(DroppedLog log);
  }

  /**
   * Starts the work and returns at once; called by the leader of the catalog on {@code control}.
   */
  void look() {
    catalog.droppedLogs().stream().limit(AT_ONCE_MAX).forEach(this::delete);
    topics
        .tables()
        .whenComplete(
            (found, failure) -> {
              if (failure == null) {
                control.execute(() -> nameUnknown(found));
              } else {
                LOGGER.warn(
                    "cannot list topics without a table; the catalog's next leader will retry",
                    failure);
              }
            });
  }

  private void delete(DroppedLog log) {
    LOGGER.info("table {} was dropped; deleting its log", log.tableId());
    topics
        .drop(log)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                control.execute(() -> deleted(log));
              } else {
                LOGGER.warn(
                    "cannot delete the log of dropped table {}; the catalog's next leader will"
                        + " retry",
                    log.tableId(),
                    failure);
              }
            });
  }

  private void deleted(DroppedLog log) {
    try {
      catalog.logDeleted(log);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn(
          "deleted the log of dropped table {}, but cannot remove the note of the drop from the"
              + " catalog: {}; the catalog's next leader will retry",
          log.tableId(),
          e.toString());
    }
  }

  private void nameUnknown(Set<Integer> found) {
    if (!catalog.isLeading()) {
      return;
    }
    Set<Integer> unknown = new TreeSet<>(found);
    catalog.tables().forEach(table -> unknown.remove(table.tableId()));
    catalog.droppedLogs().forEach(log -> unknown.remove(log.tableId()));
    if (!unknown.isEmpty()) {
      List<Integer> first = unknown.stream().limit(AT_ONCE_MAX).toList();
      LOGGER.warn(
          "leaving {} topics of tables that the catalog does not know: {}; the creation of a table"
              + " that was broken off leaves a topic without records",
          unknown.size(),
          first);
    }
  }
}
