package io.tunnel.server.kafka;

import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.replica.append.TopicProblems;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;

/**
 * Asks Kafka for the problems of a table's topics, once for all partitions of the table, and reuses
 * an answer for some seconds. Never reuses a failed answer. Kafka's threads complete the answers.
 */
final class TableProblems implements TopicProblems {

  /** Longest time since the question for which an answer holds. */
  static final long KNOWN_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

  private final IntFunction<Optional<TableRecord>> tables;
  private final Function<AppendTopics.Table, CompletableFuture<List<String>>> asked;
  private final LongSupplier nanos;
  private final Map<Integer, Known> knownByTable = new ConcurrentHashMap<>();

  private record Known(CompletableFuture<Optional<String>> problem, long askedNanos) {}

  /**
   * Answers for tables.
   *
   * @param tables the table that a partition belongs to; any thread asks
   * @param asked asks Kafka for the problems of a table; see {@link AppendTopics#problems}
   */
  TableProblems(
      IntFunction<Optional<TableRecord>> tables,
      Function<AppendTopics.Table, CompletableFuture<List<String>>> asked,
      LongSupplier nanos) {
    this.tables = tables;
    this.asked = asked;
    this.nanos = nanos;
  }

  @Override
  public CompletableFuture<Optional<String>> of(int partition) {
    Optional<TableRecord> table = tables.apply(partition);
    if (table.isEmpty()) {
      return CompletableFuture.failedFuture(PartitionTopics.unknown(partition));
    }
    long now = nanos.getAsLong();
    knownByTable.values().removeIf(known -> !isGood(known, now));
    return knownByTable
        .computeIfAbsent(table.get().tableId(), id -> ask(table.get(), now))
        .problem();
  }

  private static boolean isGood(Known known, long nowNanos) {
    return nowNanos - known.askedNanos() < KNOWN_NANOS_MAX
        && !known.problem().isCompletedExceptionally();
  }

  private Known ask(TableRecord table, long nowNanos) {
    return new Known(
        asked
            .apply(TableTopics.topics(table))
            .thenApply(
                problems ->
                    problems.isEmpty()
                        ? Optional.empty()
                        : Optional.of(String.join("; ", problems))),
        nowNanos);
  }
}
