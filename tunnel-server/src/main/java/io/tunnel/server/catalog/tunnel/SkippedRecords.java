package io.tunnel.server.catalog.tunnel;

import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The last {@link Skipped#LAST_MAX} changes that a tunnel's workers skipped, by ordinals that begin
 * with 1 and only grow. The texts have {@link Skipped#LAST_MAX} places, so a skipped change writes
 * one short text over the oldest one.
 */
final class SkippedRecords {

  private final ConcurrentSkipListMap<Long, SkippedChange> changes = new ConcurrentSkipListMap<>();

  /** A stored change. */
  private record Stored(long ordinal, SkippedChange change) {}

  /** Applies a stored text. */
  void apply(String text) {
    Stored stored = Json.ofText(text, Stored.class);
    put(stored.ordinal(), stored.change());
  }

  private void put(long ordinal, SkippedChange change) {
    changes.put(ordinal, change);
    changes.headMap(count() - Skipped.LAST_MAX, true).clear();
  }

  private long count() {
    return changes.isEmpty() ? 0 : changes.lastKey();
  }

  /** The skipped changes and their number. */
  Skipped now() {
    return new Skipped(count(), List.copyOf(changes.values()));
  }

  /** Gives new ordinals to changes that are not known yet. */
  private Map<Long, SkippedChange> numbered(List<SkippedChange> added) {
    Map<Long, SkippedChange> numbered = new LinkedHashMap<>();
    long last = count();
    for (SkippedChange change : added) {
      Optional<Long> known = known(change);
      numbered.put(known.isPresent() ? known.get() : ++last, change);
    }
    long oldest = last - Skipped.LAST_MAX;
    numbered.keySet().removeIf(ordinal -> ordinal <= oldest);
    return numbered;
  }

  private Optional<Long> known(SkippedChange change) {
    return changes.entrySet().stream()
        .filter(entry -> isSame(entry.getValue(), change))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static boolean isSame(SkippedChange one, SkippedChange other) {
    return one.partition() == other.partition()
        && one.type() == other.type()
        && one.position() == other.position();
  }

  /** The texts to write for these changes, by place. */
  Map<Long, String> additions(List<SkippedChange> added) {
    Map<Long, String> texts = new LinkedHashMap<>();
    numbered(added)
        .forEach(
            (ordinal, change) ->
                texts.put(ordinal % Skipped.LAST_MAX, Json.toText(new Stored(ordinal, change))));
    return texts;
  }

  /** The places in use. */
  List<Long> places() {
    return changes.keySet().stream().map(ordinal -> ordinal % Skipped.LAST_MAX).toList();
  }
}
