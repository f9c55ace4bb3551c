package io.tunnel.server.replica.append;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Replicas of partitions on other nodes. Safe for use by any thread; returns at once. */
public interface OtherReplicas {

  /** A node that has no other. */
  OtherReplicas NONE =
      new OtherReplicas() {
        @Override
        public boolean has(int partition) {
          return false;
        }

        @Override
        public CompletableFuture<OptionalLong> verified(int partition) {
          return CompletableFuture.completedFuture(OptionalLong.empty());
        }
      };

  /** Whether another node has a replica of a partition, or is to have one. */
  boolean has(int partition);

  /**
   * The greatest id of a snapshot that another node has read back; empty when no other node has, or
   * none answers in time. The future does not fail.
   */
  CompletableFuture<OptionalLong> verified(int partition);
}
