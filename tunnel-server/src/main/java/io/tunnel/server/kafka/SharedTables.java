package io.tunnel.server.kafka;

import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.kafka.KafkaTopics.TableTopic;
import io.tunnel.server.partition.LogTakenException;
import io.tunnel.server.partition.TableLogs;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Keeps the log of each table in a topic. */
public record SharedTables(KafkaTopics topics) implements TableLogs {

  @Override
  public boolean areShared() {
    return true;
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
  public static TableTopic topic(TableRecord table, TableOptions options) {
    return new TableTopic(
        table.tableId(), table.partitions().size(), options.retentionMs(), table.origin());
  }

  @Override
  public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
    return topics.alterRetention(table.tableId(), options.retentionMs());
  }

  @Override
  public CompletableFuture<Void> drop(TableRecord table) {
    return topics.dropTable(table.tableId(), table.origin().orElseThrow());
  }
}
