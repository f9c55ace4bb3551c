package io.tunnel.server.changes;

import io.tunnel.model.KnownPosition;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A shared log's bounds in memory; answers when the test says so, or cannot be reached. */
public final class FakeBounds implements BoundsQueries {

  private final Map<Integer, Bounds> boundsByPartition = new HashMap<>();
  private final Map<Integer, NavigableMap<Long, Long>> positionByMicros = new HashMap<>();
  private final Map<Integer, IncarnationHistory> historyByPartition = new HashMap<>();
  private final Deque<Runnable> held = new ArrayDeque<>();
  private boolean isHolding;
  private final Set<Integer> unreachable = new HashSet<>();
  private boolean isUnreachable;
  private int questions;

  /** The log of a partition reaches from {@code first} to {@code last}. */
  public void set(int partition, long first, long last) {
    boundsByPartition.put(partition, new Bounds(first, last));
  }

  /** The log of a partition reaches to {@code last}, in the newest of its lives. */
  public void set(int partition, long first, long last, IncarnationHistory history) {
    long newest = history.newest().orElseThrow();
    boundsByPartition.put(partition, new Bounds(first, last, Optional.of(newest)));
    historyByPartition.put(partition, history);
  }

  /** The log took a record at a moment. */
  public void record(int partition, long position, long micros) {
    positionByMicros.computeIfAbsent(partition, id -> new TreeMap<>()).put(micros, position);
  }

  /** By the moments at which the log took them, the records of a partition. */
  public NavigableMap<Long, Long> records(int partition) {
    return positionByMicros.computeIfAbsent(partition, id -> new TreeMap<>());
  }

  /** Answers wait from now on, or do no longer. */
  public void hold(boolean isHoldingNow) {
    isHolding = isHoldingNow;
    if (!isHoldingNow) {
      while (!held.isEmpty()) {
        held.poll().run();
      }
    }
  }

  /** The next question that waits is answered; there is one. */
  public void answerNext() {
    held.remove().run();
  }

  /** The log cannot be reached, or can again. */
  public void unreachable(boolean isUnreachableNow) {
    isUnreachable = isUnreachableNow;
  }

  /** The log of one partition cannot be reached, or can again. */
  public void unreachable(int partition, boolean isUnreachableNow) {
    if (isUnreachableNow) {
      unreachable.add(partition);
    } else {
      unreachable.remove(partition);
    }
  }

  /** How often it was asked for bounds. */
  public int questions() {
    return questions;
  }

  @Override
  public CompletableFuture<Map<Integer, Bounds>> bounds(Collection<Integer> partitions) {
    questions++;
    return answer(
        partitions,
        () -> {
          Map<Integer, Bounds> bounds = new HashMap<>();
          partitions.forEach(id -> bounds.put(id, bounds(id)));
          return bounds;
        });
  }

  private Bounds bounds(int partition) {
    return boundsByPartition.getOrDefault(partition, new Bounds(0, 0));
  }

  /** A question whose answers come one by one, in the order of the partitions. */
  @Override
  public Map<Integer, CompletableFuture<Bounds>> boundsOfEach(Collection<Integer> partitions) {
    questions++;
    Map<Integer, CompletableFuture<Bounds>> bounds = new TreeMap<>();
    for (int partition : new TreeSet<>(partitions)) {
      bounds.put(partition, answer(Set.of(partition), () -> bounds(partition)));
    }
    return bounds;
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> firstSince(
      Collection<Integer> partitions, long micros) {
    return answer(
        partitions,
        () -> {
          Map<Integer, Long> firsts = new HashMap<>();
          for (int partition : partitions) {
            Map.Entry<Long, Long> first =
                positionByMicros.getOrDefault(partition, new TreeMap<>()).ceilingEntry(micros);
            firsts.put(partition, first == null ? Long.MAX_VALUE : first.getValue());
          }
          return firsts;
        });
  }

  @Override
  public CompletableFuture<Map<Integer, Long>> shared(Map<Integer, KnownPosition> known) {
    return answer(
        known.keySet(),
        () -> {
          Map<Integer, Long> shared = new HashMap<>();
          known.forEach(
              (partition, one) ->
                  shared.put(
                      partition,
                      Math.min(
                          Math.min(one.position(), boundsByPartition.get(partition).last()),
                          historyByPartition.get(partition).sharedUpTo(one.incarnation()))));
          return shared;
        });
  }

  private <T> CompletableFuture<T> answer(Collection<Integer> partitions, Supplier<T> seen) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Runnable answer =
        () -> {
          if (isUnreachable || partitions.stream().anyMatch(unreachable::contains)) {
            future.completeExceptionally(new IOException("no broker answers"));
          } else {
            future.complete(seen.get());
          }
        };
    if (isHolding) {
      held.add(answer);
    } else {
      answer.run();
    }
    return future;
  }
}
