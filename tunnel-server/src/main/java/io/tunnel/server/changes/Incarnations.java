package io.tunnel.server.changes;

import java.util.Optional;

/** The incarnations of the partitions' logs. Safe for use by any thread. */
@FunctionalInterface
public interface Incarnations {

  /** The history of a partition; empty if its positions have no incarnations. */
  Optional<IncarnationHistory> of(int partition);

  /** The incarnation of the changes that are read from now on, if known. */
  default Optional<Long> newest(int partition) {
    return of(partition).flatMap(history -> history.newest().stream().boxed().findFirst());
  }

  /** For logs whose positions have no incarnations. */
  static Incarnations none() {
    return partition -> Optional.empty();
  }
}
