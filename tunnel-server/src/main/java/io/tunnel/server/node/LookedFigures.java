package io.tunnel.server.node;

import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.LookAnswer.Lag;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookRequest;
import io.tunnel.wire.LookRequest.Behind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * Figures of partitions whose logs have a record for each append. Where this node has a replica of
 * a partition that has read its log, and that has all changes after the asked positions, the
 * replica answers. Otherwise the leader of the partition answers by one look for all partitions of
 * the leader. An answer serves for {@value #AGE_MS_MAX} ms. A leader that does not answer in
 * {@value #WAIT_MS_MAX} ms leaves the figures of its partitions to the replica of this node; what
 * the replica lacks, and all figures without a replica, are {@link LogFigures#UNKNOWN}. Safe for
 * use by any thread.
 */
final class LookedFigures implements LogFigures {

  /** Milliseconds that an answer serves. */
  static final long AGE_MS_MAX = 1_000;

  /** Milliseconds that a description waits for leaders. */
  static final long WAIT_MS_MAX = 1_000;

  /** Rounds of questions for one description, of {@link LookRequest#POSITIONS_MAX} positions. */
  static final int ROUNDS_MAX = 8;

  private final LogFigures own;
  private final IntPredicate hasReplica;
  private final LeaderLooks leaders;

  /** By partition, the newest answers. */
  private final Map<Integer, Known> knownByPartition = new ConcurrentHashMap<>();

  /** The answers of a leader that came together. */
  private record Known(long first, long last, Map<Long, Lag> lags, long askedNanos) {

    /** With the earlier answers, as long as they serve. */
    Known with(Known earlier) {
      if (isOld(earlier.askedNanos(), askedNanos)) {
        return this;
      }
      Map<Long, Lag> both = new HashMap<>(earlier.lags());
      both.putAll(lags);
      // A lag and an end belong together, so the older time counts.
      return new Known(first, last, Map.copyOf(both), earlier.askedNanos());
    }
  }

  /**
   * Figures by the leaders.
   *
   * @param own what this node knows without a question
   * @param hasReplica whether {@code own} knows all figures of a partition
   */
  LookedFigures(LogFigures own, IntPredicate hasReplica, LeaderLooks leaders) {
    this.own = own;
    this.hasReplica = hasReplica;
    this.leaders = leaders;
  }

  private long nanos() {
    return leaders.timing().nanos().getAsLong();
  }

  private static boolean isOld(long askedNanos, long nowNanos) {
    return nowNanos - askedNanos >= TimeUnit.MILLISECONDS.toNanos(AGE_MS_MAX);
  }

  @Override
  public CompletableFuture<LogFigures> about(Map<Integer, Set<Long>> positions) {
    Map<Integer, Set<Long>> elsewhere = new TreeMap<>(positions);
    elsewhere.entrySet().removeIf(each -> isKnownHere(each.getKey(), each.getValue()));
    Map<Integer, Known> found = new ConcurrentHashMap<>();
    Map<Integer, List<Long>> open = new TreeMap<>();
    long nowNanos = nanos();
    knownByPartition.values().removeIf(one -> isOld(one.askedNanos(), nowNanos));
    elsewhere.forEach(
        (partition, wanted) -> {
          Optional<Known> known =
              Optional.ofNullable(knownByPartition.get(partition))
                  .filter(one -> one.lags().keySet().containsAll(wanted));
          known.ifPresentOrElse(
              one -> found.put(partition, one),
              () -> open.put(partition, List.copyOf(new TreeSet<>(wanted))));
        });
    CompletableFuture<LogFigures> figures = new CompletableFuture<>();
    List<CompletableFuture<?>> asked = ask(open, found);
    Set<Integer> strange = new TreeSet<>(elsewhere.keySet());
    strange.removeIf(hasReplica::test);
    Runnable done = () -> figures.complete(new Told(own, strange, Map.copyOf(found)));
    var unused =
        CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
            .whenComplete((all, failure) -> done.run());
    if (!figures.isDone() && !leaders.timing().later().after(WAIT_MS_MAX, done)) {
      done.run();
    }
    return figures;
  }

  /** A replica that began with a snapshot lacks changes, and so times, that the leader finds. */
  private boolean isKnownHere(int partition, Set<Long> positions) {
    return hasReplica.test(partition)
        && positions.stream().noneMatch(position -> own.bytesAfter(partition, position) == UNKNOWN);
  }

  /** Asks for what is open; the answers go to {@code found}. */
  private List<CompletableFuture<?>> ask(Map<Integer, List<Long>> open, Map<Integer, Known> found) {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int round = 0; round < ROUNDS_MAX; round++) {
      List<Behind> questions = new ArrayList<>();
      int from = round * LookRequest.POSITIONS_MAX;
      open.forEach(
          (partition, positions) -> {
            int to = Math.min(positions.size(), from + LookRequest.POSITIONS_MAX);
            if (from < to) {
              questions.add(new Behind(partition, positions.subList(from, to)));
            }
          });
      long askedNanos = nanos();
      Map<Integer, Behind> byPartition = new HashMap<>();
      questions.forEach(each -> byPartition.put(each.partition(), each));
      (questions.isEmpty() ? Map.<Integer, CompletableFuture<Lags>>of() : leaders.lags(questions))
          .forEach(
              (partition, answer) ->
                  asked.add(
                      answer.thenAccept(
                          lags -> took(byPartition.get(partition), lags, askedNanos, found))));
    }
    return asked;
  }

  private void took(Behind question, Lags answer, long askedNanos, Map<Integer, Known> found) {
    Map<Long, Lag> lags = new HashMap<>();
    for (int i = 0; i < question.positions().size(); i++) {
      lags.put(question.positions().get(i), answer.lags().get(i));
    }
    Known known = new Known(answer.first(), answer.last(), Map.copyOf(lags), askedNanos);
    var unusedFound = found.merge(question.partition(), known, (former, one) -> one.with(former));
    var unusedKnown =
        knownByPartition.merge(question.partition(), known, (former, one) -> one.with(former));
  }

  /**
   * The figures of a description.
   *
   * @param strange partitions of which {@code own} knows nothing
   */
  private record Told(LogFigures own, Set<Integer> strange, Map<Integer, Known> found)
      implements LogFigures {

    private Optional<Known> known(int partition) {
      return Optional.ofNullable(found.get(partition));
    }

    @Override
    public long committed(int partition) {
      return known(partition)
          .map(Known::last)
          .orElseGet(() -> strange.contains(partition) ? UNKNOWN : own.committed(partition));
    }

    @Override
    public long firstPosition(int partition) {
      return known(partition).map(Known::first).orElseGet(() -> own.firstPosition(partition));
    }

    @Override
    public long bytesAfter(int partition, long position) {
      return lag(partition, position)
          .map(Lag::bytes)
          .orElseGet(
              () -> strange.contains(partition) ? UNKNOWN : own.bytesAfter(partition, position));
    }

    private Optional<Lag> lag(int partition, long position) {
      return known(partition).map(one -> one.lags().get(position));
    }

    @Override
    public long commitMicrosAfter(int partition, long position) throws IOException {
      Optional<Lag> lag = lag(partition, position);
      if (lag.isPresent()) {
        return lag.get().commitMicros();
      }
      // The replica would tell the time of a later change.
      return bytesAfter(partition, position) == UNKNOWN
          ? UNKNOWN
          : own.commitMicrosAfter(partition, position);
    }

    @Override
    public Optional<Long> givenUpMicros(int partition) {
      return own.givenUpMicros(partition);
    }
  }

  @Override
  public long committed(int partition) {
    return own.committed(partition);
  }

  @Override
  public long firstPosition(int partition) {
    return own.firstPosition(partition);
  }

  @Override
  public long bytesAfter(int partition, long position) {
    return own.bytesAfter(partition, position);
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    return own.commitMicrosAfter(partition, position);
  }

  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return own.givenUpMicros(partition);
  }
}
