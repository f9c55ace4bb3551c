package io.tunnel.server;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the topics of tables that were dropped by a node that ended before it had deleted them.
 * One of a table that is about to be created has an id that no table ever had, and is left alone.
 *
 * @param tables those that have a topic
 * @param isDropped whether a table of that id existed once and does no longer; on {@code control}
 * @param drop deletes the topic of a table
 */
record LeftTopics(
    Supplier<CompletableFuture<Set<Integer>>> tables,
    IntPredicate isDropped,
    IntFunction<CompletableFuture<Void>> drop,
    Executor control) {

  /** Topics that are deleted at once; the rest is left for the next time. */
  static final int DELETIONS_MAX = 100;

  private static final Logger LOGGER = LoggerFactory.getLogger(LeftTopics.class);

  /** Begins, and returns at once. */
  void delete() {
    tables
        .get()
        .whenComplete(
            (found, failure) -> {
              if (failure == null) {
                control.execute(() -> delete(found));
              } else {
                LOGGER.warn("topics of dropped tables are looked for another time", failure);
              }
            });
  }

  private void delete(Collection<Integer> found) {
    found.stream().filter(isDropped::test).sorted().limit(DELETIONS_MAX).forEach(this::delete);
  }

  private void delete(int table) {
    LOGGER.info("table {} was dropped; what is left of its log is deleted", table);
    drop.apply(table)
        .exceptionally(
            failure -> {
              LOGGER.warn("the log of table {} is deleted another time", table, failure);
              return null;
            });
  }
}
