package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.CatalogStore;
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
import java.util.function.IntToLongFunction;

/**
 * The incarnations of a server's logs as its catalog keeps them: in a text {@code incarnations}
 * their numbers, and in texts {@code incarnations/PARTITION} where they began.
 *
 * <p>Each start of the server begins one, however the last run ended, so that nothing has to be
 * known of that. Its number is a time, so that a catalog that was made anew or restored gives no
 * number that is known to readers already.
 *
 * @param numbers oldest first
 * @param starts of each partition that had changes at some start
 */
record StoredIncarnations(List<Long> numbers, Map<Integer, List<Start>> starts)
    implements Incarnations {

  /** Numbers that are kept. */
  static final int NUMBERS_MAX = 1_024;

  private static final String NAME = "incarnations";
  private static final String OF = NAME + "/";

  private record Numbers(List<Long> numbers) {}

  private record Starts(List<Start> starts) {}

  StoredIncarnations {
    numbers = List.copyOf(numbers);
    starts = Map.copyOf(starts);
  }

  /**
   * Begins an incarnation; it is durable when this returns. Nobody may have been served since the
   * logs were opened.
   *
   * @param partitions that there are
   * @param ends the position of the last change of each
   */
  static StoredIncarnations begin(
      CatalogStore store, Collection<Integer> partitions, IntToLongFunction ends, long nowMs)
      throws IOException {
    Map<String, String> texts = store.all();
    List<Long> numbers = new ArrayList<>();
    List<Start> ofEmpty = List.of();
    if (texts.containsKey(NAME)) {
      numbers.addAll(Json.ofText(texts.get(NAME), Numbers.class).numbers());
      // A partition without starts was empty at all of them: what it has was given since the last.
      ofEmpty = List.of(new Start(numbers.get(numbers.size() - 1), 1));
    }
    long newest = numbers.isEmpty() ? nowMs : Math.max(nowMs, numbers.get(numbers.size() - 1) + 1);
    numbers.add(newest);
    if (numbers.size() > NUMBERS_MAX) {
      numbers.remove(0);
    }
    Map<Integer, List<Start>> starts = new HashMap<>();
    Map<String, Optional<String>> changes = new HashMap<>();
    texts.keySet().stream()
        .filter(name -> name.startsWith(OF))
        .forEach(name -> changes.put(name, Optional.empty()));
    changes.put(NAME, Optional.of(Json.toText(new Numbers(numbers))));
    for (int partition : partitions) {
      long end = ends.applyAsLong(partition);
      String text = texts.get(OF + partition);
      if (text != null || end > 0) {
        List<Start> before = text == null ? ofEmpty : Json.ofText(text, Starts.class).starts();
        List<Start> after = IncarnationHistory.begun(before, newest, end + 1);
        starts.put(partition, after);
        changes.put(OF + partition, Optional.of(Json.toText(new Starts(after))));
      }
    }
    store.write(changes);
    return new StoredIncarnations(numbers, starts);
  }

  /** Asked with each delivery. */
  @Override
  public Optional<Long> newest(int partition) {
    return Optional.of(numbers.get(numbers.size() - 1));
  }

  @Override
  public Optional<IncarnationHistory> of(int partition) {
    return Optional.of(new IncarnationHistory(numbers, starts.getOrDefault(partition, List.of())));
  }
}
