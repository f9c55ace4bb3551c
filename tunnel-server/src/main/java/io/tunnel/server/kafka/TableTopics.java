package io.tunnel.server.kafka;

import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.partition.TableLogs;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The logs of tables in Kafka, and the topics that dropped tables and crashes leave. */
public interface TableTopics extends TableLogs {

  /**
   * Looks at the topics of these tables at the start of a node: a message for each table that
   * cannot be used. Fails when Kafka does not answer, or when this node must not start.
   */
  CompletableFuture<List<String>> check(Collection<TableRecord> tables);

  /** Ids of the tables that have a topic. */
  CompletableFuture<Set<Integer>> tables();

  /** Deletes the topics of a dropped table, by their origin, as far as they exist. */
  CompletableFuture<Void> drop(DroppedLog log);
}
