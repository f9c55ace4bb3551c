package io.tunnel.server.catalog.tunnel;

import io.tunnel.server.catalog.tunnel.SkippedMemory.KeptSkip;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;

/**
 * The last {@link Skipped#LAST_MAX} changes that a tunnel's workers skipped, by ordinals that begin
 * with 1 and only grow; fewer while {@link SkippedMemory} has no space for them. The texts have
 * {@link Skipped#LAST_MAX} places, so a skipped change writes one short text over the oldest one.
 * The last place has the count even when its change was dropped.
 */
final class SkippedRecords {

  private final String tunnelId;
  private final SkippedMemory memory;
  private final ConcurrentSkipListMap<Long, Held> changes = new ConcurrentSkipListMap<>();

  /** The last ordinal. */
  private volatile long count;

  /** A stored change; without the change, its ordinal only. */
  private record Stored(long ordinal, Optional<SkippedChange> change) {
    Stored {
      change = change == null ? Optional.empty() : change;
    }
  }

  /** A change in memory, and what it takes there. */
  private record Held(SkippedChange change, KeptSkip kept) {}

  SkippedRecords(String tunnelId, SkippedMemory memory) {
    this.tunnelId = tunnelId;
    this.memory = memory;
  }

  String tunnelId() {
    return tunnelId;
  }

  /** The beginning of the names of all texts of a tunnel. */
  static String prefix(String tunnelId) {
    return TunnelRecords.SKIPPED + tunnelId + "/";
  }

  private String name(long ordinal) {
    return prefix(tunnelId) + ordinal % Skipped.LAST_MAX;
  }

  /** Applies a stored text, or its removal; {@code owner} created the tunnel. */
  void apply(String name, Optional<String> text, String owner) {
    memory.written(name);
    if (text.isPresent()) {
      Stored stored = Json.ofText(text.get(), Stored.class);
      long bytes = SkippedMemory.bytes(text.get());
      stored.change().ifPresent(change -> put(stored.ordinal(), change, owner, bytes));
      count = Math.max(count, stored.ordinal());
      changes.headMap(count - Skipped.LAST_MAX, true).keySet().forEach(this::remove);
      memory.fit();
    }
  }

  private void put(long ordinal, SkippedChange change, String owner, long bytes) {
    remove(ordinal);
    KeptSkip kept = new KeptSkip(owner, this, ordinal, change.skippedMs(), bytes);
    memory.add(kept);
    changes.put(ordinal, new Held(change, kept));
  }

  private void remove(long ordinal) {
    Held gone = changes.remove(ordinal);
    if (gone != null) {
      memory.remove(gone.kept());
    }
  }

  /** Drops a change, and still counts it. */
  void drop(long ordinal) {
    remove(ordinal);
    Optional<String> onlyCount = Optional.of(Json.toText(new Stored(ordinal, Optional.empty())));
    memory.outdate(name(ordinal), ordinal == count ? onlyCount : Optional.empty());
  }

  /** The tunnel is gone. */
  void clear() {
    changes.keySet().forEach(this::remove);
    memory.removed(prefix(tunnelId));
  }

  /** The skipped changes and their number. */
  Skipped now() {
    return new Skipped(count, changes.values().stream().map(Held::change).toList());
  }

  /** Gives new ordinals to changes that are not known yet. */
  private Map<Long, SkippedChange> numbered(List<SkippedChange> added) {
    Map<Long, SkippedChange> numbered = new LinkedHashMap<>();
    long last = count;
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
        .filter(entry -> isSame(entry.getValue().change(), change))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static boolean isSame(SkippedChange one, SkippedChange other) {
    return one.partition() == other.partition()
        && one.type() == other.type()
        && one.position() == other.position();
  }

  /** The texts to write for these changes, by name. */
  Map<String, Optional<String>> additions(List<SkippedChange> added) {
    Map<String, Optional<String>> texts = new LinkedHashMap<>(memory.outdated());
    numbered(added)
        .forEach(
            (ordinal, change) ->
                texts.put(
                    name(ordinal),
                    Optional.of(Json.toText(new Stored(ordinal, Optional.of(change))))));
    return texts;
  }

  /** The names that may have texts. */
  List<String> names() {
    return LongStream.rangeClosed(Math.max(1, count - Skipped.LAST_MAX + 1), count)
        .mapToObj(this::name)
        .toList();
  }
}
