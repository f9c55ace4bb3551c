package io.tunnel.server.changes;

import io.tunnel.model.KnownPosition;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Looks at a shared log: asks the log when a decision depends on the answer, and otherwise uses the
 * last known bounds.
 */
public final class SharedLogBounds implements LogBounds {

  /** Most attempts at a look whose questions different leaders answer. */
  static final int LOOKS_MAX = 5;

  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final BoundsQueries log;
  private final KnownBounds known;
  private final Executor control;

  /** Partitions that {@link #keepFresh} has asked for without an answer yet. */
  private final Set<Integer> awaited = ConcurrentHashMap.newKeySet();

  private long freshNanos;
  private boolean isFresh;

  /** Asks {@code log}, and notes its answers in {@code known}. */
  public SharedLogBounds(BoundsQueries log, KnownBounds known, Executor control) {
    this.log = log;
    this.known = known;
    this.control = control;
  }

  @Override
  public void look(
      Collection<Integer> partitions,
      Set<Long> momentsMicros,
      Map<Integer, KnownPosition> known,
      Looked looked) {
    Set<Integer> asked = Set.copyOf(partitions);
    find(asked, momentsMicros, LOOKS_MAX)
        .thenCompose(
            // Last: records that a later leader still has, the leader of the bounds had too.
            found -> shared(found, known).thenApply(shared -> looks(asked, found, shared)))
        .whenComplete(
            (looks, failure) -> {
              if (failure == null) {
                control.execute(() -> looked.found(looks));
              } else {
                control.execute(() -> looked.failed(CatchUp.unavailable(failure)));
              }
            });
  }

  /**
   * Asks only about positions that were seen under another leader: under one leader a log only
   * grows.
   */
  private CompletableFuture<Map<Integer, Long>> shared(
      Found found, Map<Integer, KnownPosition> known) {
    Map<Integer, Long> shared = new HashMap<>();
    Map<Integer, KnownPosition> open = new HashMap<>();
    known.forEach(
        (partition, seen) -> {
          Bounds bounds = found.ends().get(partition);
          boolean isOfLeader =
              bounds.incarnation().equals(Optional.of(seen.incarnation()))
                  && seen.position() <= bounds.last();
          if (isOfLeader) {
            shared.put(partition, seen.position());
          } else {
            open.put(partition, seen);
          }
        });
    return open.isEmpty()
        ? CompletableFuture.completedFuture(shared)
        : log.shared(open)
            .thenApply(
                told -> {
                  shared.putAll(told);
                  return shared;
                });
  }

  /** The log's answers about ends and times. */
  private record Found(Map<Integer, Bounds> ends, Map<Long, Map<Integer, Long>> firsts) {}

  /**
   * Asks for the times before the ends: if a time has not come, all records up to the end are
   * before it. A position found under another leader than the end's may be gone, so both are asked
   * for again.
   */
  private CompletableFuture<Found> find(Set<Integer> asked, Set<Long> momentsMicros, int looks) {
    if (momentsMicros.isEmpty()) {
      return ends(asked).thenApply(ends -> new Found(ends, Map.of()));
    }
    return ends(asked).thenCompose(before -> findSince(asked, momentsMicros, looks, before));
  }

  private CompletableFuture<Found> findSince(
      Set<Integer> asked, Set<Long> momentsMicros, int looks, Map<Integer, Bounds> before) {
    CompletableFuture<Map<Long, Map<Integer, Long>>> since = firsts(asked, momentsMicros);
    return since
        .thenCompose(firsts -> ends(asked))
        .thenCompose(
            ends ->
                incarnations(before).equals(incarnations(ends))
                    ? since.thenApply(firsts -> new Found(ends, firsts))
                    : again(asked, momentsMicros, looks));
  }

  private CompletableFuture<Found> again(Set<Integer> asked, Set<Long> momentsMicros, int looks) {
    return looks > 1
        ? find(asked, momentsMicros, looks - 1)
        : CompletableFuture.failedFuture(
            new IOException("the leaders of its partitions kept changing during the questions"));
  }

  private CompletableFuture<Map<Integer, Bounds>> ends(Set<Integer> asked) {
    return log.bounds(asked)
        .thenApply(
            ends -> {
              ends.forEach(this::saw);
              return ends;
            });
  }

  private void saw(int partition, Bounds bounds) {
    known.saw(partition, bounds);
  }

  private CompletableFuture<Map<Long, Map<Integer, Long>>> firsts(
      Set<Integer> asked, Set<Long> momentsMicros) {
    Map<Long, CompletableFuture<Map<Integer, Long>>> firsts = new HashMap<>();
    for (long micros : momentsMicros) {
      firsts.put(micros, log.firstSince(asked, micros));
    }
    return Together.of(firsts);
  }

  private static Map<Integer, Optional<Long>> incarnations(Map<Integer, Bounds> bounds) {
    Map<Integer, Optional<Long>> incarnations = new HashMap<>();
    bounds.forEach((partition, one) -> incarnations.put(partition, one.incarnation()));
    return incarnations;
  }

  private Map<Integer, Look> looks(
      Set<Integer> partitions, Found found, Map<Integer, Long> shared) {
    Map<Integer, Look> looks = new HashMap<>();
    for (int partition : partitions) {
      Bounds bounds = found.ends().get(partition);
      Map<Long, Moment> moments = new HashMap<>();
      found
          .firsts()
          .forEach((micros, first) -> moments.put(micros, moment(first.get(partition), bounds)));
      // A trim does not tell the commit times of the changes before.
      Optional<Long> givenUpMicros = Optional.empty();
      looks.put(
          partition,
          new Look(bounds, 0, givenUpMicros, moments, Optional.ofNullable(shared.get(partition))));
    }
    return looks;
  }

  @Override
  public Optional<Long> incarnation(int partition) {
    return Optional.empty();
  }

  /** A leader whose clock has shown a time knows the first change since, written or not. */
  private static Moment moment(long first, Bounds bounds) {
    boolean isPassed = first != Long.MAX_VALUE;
    return new Moment(isPassed ? Math.max(0, first - 1) : bounds.last(), isPassed);
  }

  @Override
  public long known(int partition) {
    return known.last(partition);
  }

  @Override
  public void refresh(Collection<Integer> partitions, Refreshed refreshed) {
    Set<Integer> answered = ConcurrentHashMap.newKeySet();
    log.boundsOfEach(partitions)
        .forEach(
            (partition, answer) ->
                answer.whenComplete(
                    (bounds, failure) -> {
                      if (failure == null) {
                        saw(partition, bounds);
                        answered.add(partition);
                        control.execute(() -> tell(answered, refreshed));
                      } else {
                        control.execute(
                            () -> refreshed.failed(partition, CatchUp.unavailable(failure)));
                      }
                    }));
  }

  /** Tells all answered partitions that no earlier call has told. */
  private static void tell(Set<Integer> answered, Refreshed refreshed) {
    Set<Integer> fresh = Set.copyOf(answered);
    if (!fresh.isEmpty()) {
      answered.removeAll(fresh);
      refreshed.fresh(fresh);
    }
  }

  @Override
  public void keepFresh(Supplier<Set<Integer>> partitions, long nowNanos) {
    if (isFresh && nowNanos - freshNanos < FRESH_NANOS) {
      return;
    }
    Set<Integer> asked = new HashSet<>(partitions.get());
    asked.removeAll(awaited);
    if (asked.isEmpty()) {
      return;
    }
    isFresh = true;
    freshNanos = nowNanos;
    awaited.addAll(asked);
    log.boundsOfEach(asked)
        .forEach(
            (partition, answer) ->
                answer.whenComplete(
                    (bounds, failure) -> {
                      awaited.remove(partition);
                      if (failure == null) {
                        saw(partition, bounds);
                      }
                    }));
  }
}
