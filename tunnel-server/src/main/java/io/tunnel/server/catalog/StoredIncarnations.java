package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;

/**
 * The incarnations of a server's logs, as texts of its catalog: {@code incarnations} keeps their
 * numbers, and {@code incarnations/PARTITION} the positions where they began.
 *
 * <p>Each start of the server begins an incarnation, however the last run ended. Its number is a
 * time, so that a new catalog gives no number that readers know already. While the clock is before
 * the last number, starts count from the last number; a restore therefore skips numbers, because
 * the former server counted, too.
 *
 * @param numbers oldest first
 * @param starts by partition with changes at some start, where its incarnations began
 */
record StoredIncarnations(List<Long> numbers, Map<Integer, List<Start>> starts)
    implements Incarnations {

  /** Most numbers that are kept. */
  static final int NUMBERS_MAX = 1_024;

  /** Most numbers of a cluster, whose partitions count for themselves. */
  static final int MOVED_MAX = 16_384;

  private static final String NAME = "incarnations";
  private static final String OF = NAME + "/";

  /**
   * The text {@link #NAME}.
   *
   * @param notBefore the least number of the next start, after a restore
   */
  private record Numbers(List<Long> numbers, Optional<Long> notBefore) {
    Numbers {
      // A text without the member.
      notBefore = notBefore == null ? Optional.empty() : notBefore;
    }
  }

  private record Starts(List<Start> starts) {}

  StoredIncarnations {
    numbers = List.copyOf(numbers);
    starts = Map.copyOf(starts);
  }

  /**
   * Begins an incarnation, which is durable when this returns. No client may have been served since
   * the logs were opened.
   *
   * @param partitions all partitions
   * @param ends gives the position of a partition's last change
   */
  static StoredIncarnations begin(
      CatalogStore store, Collection<Integer> partitions, IntToLongFunction ends, long nowMs)
      throws IOException {
    Map<String, String> texts = store.all();
    List<Long> numbers = new ArrayList<>();
    List<Start> ofEmpty = List.of();
    long newest = least(texts, nowMs);
    if (texts.containsKey(NAME)) {
      Numbers stored = StoredText.whole(NAME, texts.get(NAME), Numbers.class);
      numbers.addAll(stored.numbers());
      // A partition without starts was empty at every start: all its positions are of the newest
      // incarnation.
      ofEmpty = List.of(new Start(last(numbers), 1));
    }
    numbers.add(newest);
    if (numbers.size() > NUMBERS_MAX) {
      numbers.remove(0);
    }
    Map<Integer, List<Start>> starts = new HashMap<>();
    Map<String, Optional<String>> changes = new HashMap<>();
    texts.keySet().stream()
        .filter(name -> name.startsWith(OF))
        .forEach(name -> changes.put(name, Optional.empty()));
    changes.put(NAME, Optional.of(Json.toText(new Numbers(numbers, Optional.empty()))));
    for (int partition : partitions) {
      long end = ends.applyAsLong(partition);
      String text = texts.get(OF + partition);
      if (text != null || end > 0) {
        List<Start> before =
            text == null ? ofEmpty : StoredText.whole(OF + partition, text, Starts.class).starts();
        List<Start> after = IncarnationHistory.begun(before, newest, end + 1);
        starts.put(partition, after);
        changes.put(OF + partition, Optional.of(Json.toText(new Starts(after))));
      }
    }
    store.write(changes);
    return new StoredIncarnations(numbers, starts);
  }

  private static long last(List<Long> numbers) {
    return numbers.get(numbers.size() - 1);
  }

  /** The stored incarnations of a partition; none in a catalog that no server has started on. */
  static IncarnationHistory in(Map<String, String> texts, int partition) {
    List<Long> numbers =
        texts.containsKey(NAME)
            ? StoredText.whole(NAME, texts.get(NAME), Numbers.class).numbers()
            : List.of();
    String own = texts.get(OF + partition);
    List<Start> starts =
        own == null ? List.of() : StoredText.whole(OF + partition, own, Starts.class).starts();
    return new IncarnationHistory(numbers, starts);
  }

  /**
   * The changes that store the incarnations of partitions whose logs counted for themselves. The
   * newest {@link #MOVED_MAX} numbers are kept.
   */
  static Map<String, Optional<String>> noting(Map<Integer, IncarnationHistory> histories) {
    TreeSet<Long> numbers = new TreeSet<>();
    Map<String, Optional<String>> changes = new HashMap<>();
    histories.forEach(
        (partition, history) -> {
          numbers.addAll(history.known());
          String starts = Json.toText(new Starts(history.starts()));
          changes.put(OF + partition, Optional.of(starts));
        });
    while (numbers.size() > MOVED_MAX) {
      numbers.pollFirst();
    }
    if (!numbers.isEmpty()) {
      Numbers all = new Numbers(List.copyOf(numbers), Optional.empty());
      changes.put(NAME, Optional.of(Json.toText(all)));
    }
    return changes;
  }

  /** The number of an incarnation that would begin at {@code nowMs}. */
  static long least(Map<String, String> texts, long nowMs) {
    if (!texts.containsKey(NAME)) {
      return nowMs;
    }
    Numbers stored = StoredText.whole(NAME, texts.get(NAME), Numbers.class);
    return Math.max(nowMs, stored.notBefore().orElse(last(stored.numbers()) + 1));
  }

  /**
   * The change after which the next start begins no incarnation among the {@code skipped} numbers
   * after the last one; none for a catalog without incarnations.
   */
  static Map<String, Optional<String>> skipping(Map<String, String> texts, long skipped) {
    if (!texts.containsKey(NAME)) {
      return Map.of();
    }
    List<Long> numbers = StoredText.whole(NAME, texts.get(NAME), Numbers.class).numbers();
    Numbers next = new Numbers(numbers, Optional.of(last(numbers) + 1 + skipped));
    return Map.of(NAME, Optional.of(Json.toText(next)));
  }

  /** Fast, because each delivery asks. */
  @Override
  public Optional<Long> newest(int partition) {
    return Optional.of(last(numbers));
  }

  @Override
  public Optional<IncarnationHistory> of(int partition) {
    return Optional.of(new IncarnationHistory(numbers, starts.getOrDefault(partition, List.of())));
  }
}
