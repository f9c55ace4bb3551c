package io.tunnel.server.node;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.LeftLogs;
import io.tunnel.server.catalog.TableRecord;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is to be done about topics of tables when a node begins to decide about tables. A topic is
 * deleted because the catalog says that its table was dropped, never because the catalog does not
 * know it: a catalog may have lost tables. Topics that no table has are named in the log, for
 * people to decide about.
 *
 * @param control where the catalog belongs
 */
record LeftTopics(Catalog catalog, LeftLogs topics, Executor control) {

  /** Topics that are deleted, or whose origins are asked for, at once; the rest has to wait. */
  static final int AT_ONCE_MAX = 100;

  private static final Logger LOGGER = LoggerFactory.getLogger(LeftTopics.class);

  /** Begins, and returns at once; on {@code control}, by the leader of the catalog. */
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
                LOGGER.warn("topics without a table are looked for another time", failure);
              }
            });
  }

  private void delete(DroppedLog log) {
    LOGGER.info("table {} was dropped; what is left of its log is deleted", log.tableId());
    topics
        .drop(log)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                control.execute(() -> deleted(log));
              } else {
                LOGGER.warn("the log of table {} is deleted another time", log.tableId(), failure);
              }
            });
  }

  private void deleted(DroppedLog log) {
    try {
      catalog.logDeleted(log);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("the log of dropped table {} is deleted, and still noted", log.tableId(), e);
    }
  }

  /** A table of an older version is told apart from now on by what it has. */
  private void noteOrigin(TableRecord table) {
    topics
        .origin(table)
        .whenComplete(
            (origin, failure) -> {
              if (failure == null) {
                control.execute(() -> noteOrigin(table, origin));
              } else {
                LOGGER.warn("table {} has no origin noted yet", table.tableId(), failure);
              }
            });
  }

  private void noteOrigin(TableRecord table, Bytes origin) {
    boolean isAsItWas = catalog.tables().contains(table);
    if (!catalog.isLeading() || !isAsItWas) {
      return;
    }
    try {
      catalog.noteOrigin(table, origin);
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("table {} has no origin noted yet", table.tableId(), e);
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
          "{} topics are of tables that the catalog does not know, and are left as they are: {};"
              + " a creation that was broken off leaves one without records",
          unknown.size(),
          first);
    }
  }
}
