package io.tunnel.server.node;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
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

  /** Most topics that a look deletes, and most topics that it asks for origins. */
  static final int AT_ONCE_MAX = 100;

  private static final Logger LOGGER = LoggerFactory.getLogger(LeftTopics.class);

  /** The topics of tables; a future may be completed by any thread. */
  interface Topics {

    /** Ids of the tables that have a topic. */
    CompletableFuture<Set<Integer>> tables();

    /** The origin of the topic of a table. */
    CompletableFuture<Bytes> origin(int tableId);

    /** Deletes the topic of a dropped table, if it exists. */
    CompletableFuture<Void> drop(DroppedLog log);
  }

  /**
   * Starts the work and returns at once; called by the leader of the catalog on {@code control}.
   */
  void look() {
    catalog.droppedLogs().stream().limit(AT_ONCE_MAX).forEach(this::delete);
    catalog.tables().stream()
        .filter(table -> table.origin().isEmpty())
        .limit(AT_ONCE_MAX)
        .forEach(this::noteOrigin);
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
          "deleted the log of dropped table {}, but cannot remove its note from the catalog; the"
              + " catalog's next leader will retry",
          log.tableId(),
          e);
    }
  }

  /** Notes the origin of its topic for a table of an older version, which has none. */
  private void noteOrigin(TableRecord table) {
    topics
        .origin(table.tableId())
        .whenComplete(
            (origin, failure) -> {
              if (failure == null) {
                control.execute(() -> noteOrigin(table, origin));
              } else {
                warnOfOrigin(table, failure);
              }
            });
  }

  private void noteOrigin(TableRecord table, Bytes origin) {
    boolean isUnchanged = catalog.tables().contains(table);
    if (!catalog.isLeading() || !isUnchanged) {
      return;
    }
    try {
      catalog.noteOrigin(table, origin);
    } catch (IOException | RuntimeException e) {
      warnOfOrigin(table, e);
    }
  }

  private static void warnOfOrigin(TableRecord table, Throwable failure) {
    LOGGER.warn(
        "cannot note the origin of the topic of table {}; the catalog's next leader will retry",
        table.tableId(),
        failure);
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
