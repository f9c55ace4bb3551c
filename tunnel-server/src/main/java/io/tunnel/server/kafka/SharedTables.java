package io.tunnel.server.kafka;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.kafka.KafkaTopics.TableTopic;
import io.tunnel.server.partition.LogFeature;
import io.tunnel.server.partition.LogTakenException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Keeps the log of each table in a topic. */
public record SharedTables(KafkaTopics topics) implements TableTopics {

  @Override
  public boolean areShared() {
    return true;
  }

  /** A log of rows lacks all features. */
  @Override
  public boolean has(LogFeature feature) {
    return false;
  }

  @Override
  public CompletableFuture<Optional<Bytes>> create(TableRecord table) {
    return topics
        .openTable(topic(table, table.meta().options()))
        .thenApply(Optional::of)
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(refusal(failure)));
  }

  /** The failure of a creation; {@link LogTakenException} where an existing topic does not fit. */
  static Throwable refusal(Throwable failure) {
    Throwable cause = AdminFutures.cause(failure);
    return cause instanceof TopicSettingsException
        ? new LogTakenException(cause.getMessage(), cause)
        : cause;
  }

  /** The topic of a table with {@code options}, which may differ from the table's present ones. */
  private static TableTopic topic(TableRecord table, TableOptions options) {
    return new TableTopic(
        table.tableId(), table.partitions().size(), options.retentionMs(), table.origin());
  }

  @Override
  public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
    return topics.alterRetention(table.tableId(), options.retentionMs());
  }

  @Override
  public CompletableFuture<Void> drop(TableRecord table) {
    return drop(DroppedLog.of(table));
  }

  @Override
  public CompletableFuture<Void> drop(DroppedLog log) {
    return topics.dropTable(log.tableId(), log.origin());
  }

  /** Wrong settings of a topic refuse the start; see {@link KafkaTopics#checkTables}. */
  @Override
  public CompletableFuture<List<String>> check(Collection<TableRecord> tables) {
    return topics.checkTables(
        tables.stream().map(table -> topic(table, table.meta().options())).toList());
  }

  @Override
  public CompletableFuture<Set<Integer>> tables() {
    return topics.tables();
  }
}
