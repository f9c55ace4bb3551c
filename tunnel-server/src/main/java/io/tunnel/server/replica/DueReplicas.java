package io.tunnel.server.replica;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The replicas of a shard that have work to do: a replica that got a task, or whose timer has
 * expired. A shard has hundreds of replicas, and most steps concern one or two. For the shard's
 * thread.
 */
final class DueReplicas {

  private final Set<Replica> told = new LinkedHashSet<>();

  /**
   * When a replica is to be looked at even if it is told nothing; in an order that can be repeated.
   */
  private final Map<Replica, Long> nanosByReplica = new LinkedHashMap<>();

  /** The replica was told something. */
  void add(Replica replica) {
    told.add(replica);
  }

  /** Those with something to do now; each is to be {@link #looked} at. */
  List<Replica> take(long nowNanos) {
    nanosByReplica.forEach(
        (replica, nanos) -> {
          if (nowNanos - nanos >= 0) {
            told.add(replica);
          }
        });
    List<Replica> due = List.copyOf(told);
    told.clear();
    return due;
  }

  /** The replica has done what it had to do by now. */
  void looked(Replica replica) {
    replica
        .nextNanos()
        .ifPresentOrElse(
            nanos -> nanosByReplica.put(replica, nanos), () -> nanosByReplica.remove(replica));
  }

  /** The replica is one no more. */
  void remove(Replica replica) {
    told.remove(replica);
    nanosByReplica.remove(replica);
  }

  /** So long nothing has to be done unless a replica is told something. */
  long leftNanos(long nowNanos) {
    long left = told.isEmpty() ? Long.MAX_VALUE : 0;
    for (long nanos : nanosByReplica.values()) {
      left = Math.min(left, nanos - nowNanos);
    }
    return left;
  }
}
