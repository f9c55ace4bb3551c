package io.tunnel.server.changes;

import java.util.Optional;

/** The lives of the partitions' logs. May be asked by any thread. */
@FunctionalInterface
public interface Incarnations {

  /** That of a partition; nothing where positions are given out without an incarnation. */
  Optional<IncarnationHistory> of(int partition);

  /** The incarnation of what is read of a partition from now on, if that is known. */
  default Optional<Long> newest(int partition) {
    return of(partition).flatMap(history -> history.newest().stream().boxed().findFirst());
  }

  /** Of logs whose positions have none. */
  static Incarnations none() {
    return partition -> Optional.empty();
  }
}
