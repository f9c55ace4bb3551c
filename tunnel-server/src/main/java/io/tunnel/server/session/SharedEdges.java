package io.tunnel.server.session;

import io.tunnel.server.log.CatchUp;
import io.tunnel.server.log.EdgeQueries;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The edges of a log that many nodes share: asked for when a decision depends on them, and
 * remembered for those who can do with older ones.
 */
public final class SharedEdges implements LogEdges {

  /** So far may the clocks of a node and of the log lie apart. */
  static final long CLOCK_GAP_MICROS_MAX = TimeUnit.SECONDS.toMicros(10);

  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EdgeQueries log;
  private final KnownEdges known;
  private final Surroundings surroundings;
  private final AtomicBoolean isRefreshing = new AtomicBoolean();
  private long freshNanos;
  private boolean isFresh;

  /** The edges that {@code log} tells of, remembered in {@code known}. */
  public SharedEdges(EdgeQueries log, KnownEdges known, Surroundings surroundings) {
    this.log = log;
    this.known = known;
    this.surroundings = surroundings;
  }

  @Override
  public void look(Collection<Integer> partitions, Set<Long> momentsMicros, Looked looked) {
    Set<Integer> asked = Set.copyOf(partitions);
    Map<Long, CompletableFuture<Map<Integer, Long>>> firsts = new HashMap<>();
    for (long micros : momentsMicros) {
      firsts.put(micros, log.firstSince(asked, micros));
    }
    // Behind the moments: where one has not come, everything up to the end is before it. The end is
    // therefore asked for when those have answered.
    CompletableFuture.allOf(firsts.values().toArray(CompletableFuture[]::new))
        .thenCompose(all -> log.edges(asked))
        .whenComplete(
            (edges, failure) -> {
              if (failure == null) {
                edges.forEach(known::saw);
                surroundings.control(() -> tell(asked, edges, firsts, looked));
              } else {
                surroundings.control(() -> looked.failed(CatchUp.unavailable(failure)));
              }
            });
  }

  private void tell(
      Set<Integer> partitions,
      Map<Integer, EdgeQueries.Edge> edges,
      Map<Long, CompletableFuture<Map<Integer, Long>>> firsts,
      Looked looked) {
    Map<Integer, Edge> found = new HashMap<>();
    for (int partition : partitions) {
      EdgeQueries.Edge edge = edges.get(partition);
      Map<Long, Moment> moments = new HashMap<>();
      firsts.forEach(
          (micros, first) ->
              moments.put(micros, moment(micros, first.join().get(partition), edge)));
      found.put(partition, new Edge(edge.first(), edge.last(), 0, moments));
    }
    looked.found(found);
  }

  private Moment moment(long micros, long first, EdgeQueries.Edge edge) {
    if (first != Long.MAX_VALUE) {
      return new Moment(Math.max(0, first - 1), true);
    }
    return new Moment(edge.last(), surroundings.epochMicros() - micros >= CLOCK_GAP_MICROS_MAX);
  }

  @Override
  public long known(int partition) {
    return known.last(partition);
  }

  @Override
  public void keepFresh(Set<Integer> partitions, long nowNanos) {
    if (partitions.isEmpty() || (isFresh && nowNanos - freshNanos < FRESH_NANOS)) {
      return;
    }
    if (isRefreshing.compareAndSet(false, true)) {
      isFresh = true;
      freshNanos = nowNanos;
      log.edges(new HashSet<>(partitions))
          .whenComplete(
              (edges, failure) -> {
                isRefreshing.set(false);
                if (failure == null) {
                  edges.forEach(known::saw);
                }
              });
    }
  }
}
