package io.tunnel.server.replica.append;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Says whether the topics of a partition's table can be used. Safe for use by any thread. */
@FunctionalInterface
public interface TopicProblems {

  /**
   * What is wrong with the topics, for an operator: what to change; empty where a node may lead the
   * partition. Fails when the log does not answer. Many questions at a time cost the log one
   * question for each table.
   */
  CompletableFuture<Optional<String>> of(int partition);
}
