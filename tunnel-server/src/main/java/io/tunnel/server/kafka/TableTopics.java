package io.tunnel.server.kafka;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.LogTakenException;
import io.tunnel.server.partition.TableLogs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the log of each table in two topics, one with the changes and one with the blocks of
 * snapshots. The origin of a table is the origin of both topics.
 */
public final class TableTopics implements TableLogs {

  private final AppendTopics topics;

  TableTopics(AppendTopics topics) {
    this.topics = topics;
  }

  @Override
  public boolean areShared() {
    return true;
  }

  @Override
  public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
    return topics
        .open(new AppendTopics.Table(table.tableId(), table.partitions().size()))
        .thenApply(Optional::of)
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(refusal(failure)));
  }

  /** The failure of a creation; {@link LogTakenException} where an existing topic does not fit. */
  private static Throwable refusal(Throwable failure) {
    Throwable cause = AdminFutures.cause(failure);
    return cause instanceof TopicSettingsException
        ? new LogTakenException(cause.getMessage(), cause)
        : cause;
  }

  /** The topics of a table of the catalog. */
  static AppendTopics.Table topics(TableRecord table) {
    return new AppendTopics.Table(table.tableId(), table.partitions().size(), table.origin());
  }

  /**
   * Completes at once: Kafka keeps these records until a leader trims, and leaders trim by the
   * catalog's options. A longer retention is promised for changes after the alteration only, so a
   * leader that trims by the former options breaks no promise.
   */
  @Override
  public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> drop(TableRecord table) {
    return drop(DroppedLog.of(table));
  }

  /** Deletes the topics of a dropped table, by their origin, as far as they exist. */
  public CompletableFuture<Void> drop(DroppedLog log) {
    return topics.drop(log.tableId(), log.origin());
  }

  /** Ids of the tables with a log topic, a rows topic, or both. */
  public CompletableFuture<Set<Integer>> tables() {
    return topics.tables();
  }

  /**
   * Looks at the topics of these tables at the start of a node: a message for each problem, which
   * keeps the nodes from leading one table and refuses no start. Fails when Kafka does not answer.
   */
  public CompletableFuture<List<String>> check(Collection<TableRecord> tables) {
    return topics
        .problems(tables.stream().map(TableTopics::topics).toList())
        .thenApply(
            found -> {
              List<String> all = new ArrayList<>();
              found.values().forEach(all::addAll);
              return all;
            });
  }

  /**
   * A message for each topic of these tables that is missing, or is not the topic of its table: a
   * part of {@link #check}.
   */
  public CompletableFuture<List<String>> lost(Collection<TableRecord> tables) {
    return topics.lost(tables.stream().map(TableTopics::topics).toList());
  }
}
