package io.tunnel.server;

import io.tunnel.model.TableOptions;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.kafka.KafkaTopics;
import io.tunnel.server.kafka.KafkaTopics.TableTopic;
import io.tunnel.server.kafka.TopicSettingsException;
import io.tunnel.server.partition.LogTakenException;
import io.tunnel.server.partition.TableLogs;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A table's log as a topic. */
record SharedTables(KafkaTopics topics) implements TableLogs {

  @Override
  public boolean areShared() {
    return true;
  }

  @Override
  public CompletableFuture<Void> create(TableRecord table) {
    return topics
        .openTable(topic(table, table.meta().options()))
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(told(cause(failure))));
  }

  private static Throwable told(Throwable failure) {
    return failure instanceof TopicSettingsException
        ? new LogTakenException(failure.getMessage(), failure)
        : failure;
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  static TableTopic topic(TableRecord table, TableOptions options) {
    return new TableTopic(table.tableId(), table.partitions().size(), options.retentionMs());
  }

  @Override
  public CompletableFuture<Void> alter(TableRecord table, TableOptions options) {
    return topics.alterRetention(table.tableId(), options.retentionMs());
  }

  @Override
  public CompletableFuture<Void> drop(TableRecord table) {
    return topics.dropTable(table.tableId());
  }
}
