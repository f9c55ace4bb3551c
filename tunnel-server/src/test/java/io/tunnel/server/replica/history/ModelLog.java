package io.tunnel.server.replica.history;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A partition of a log as Kafka keeps the log; beside the log, each append with its meaning. The
 * model derives the meaning from the order of appenders, and not from sequences: a second way to
 * the same answer.
 *
 * <p>Compaction is Kafka's: of everything below some border that is older than the lag, the last
 * record of each key stays; a record without a value goes with a later compaction, {@link
 * #DELETE_RETENTION} after the first that saw it as the last of its key.
 */
final class ModelLog {

  static final long LAG = 100;
  static final long DELETE_RETENTION = 150;

  /**
   * The origin of a record: the number of the append of its writer, and the place in the append.
   */
  record Origin(int append, int index, int size) {}

  private record Truth(Stored stored, Origin origin, boolean counts) {}

  private final List<Truth> all = new ArrayList<>();
  private final NavigableMap<Long, Stored> kept = new TreeMap<>();
  private final Map<Long, Long> tombstoneEnds = new HashMap<>();
  private final Map<Bytes, Optional<Bytes>> rows = new TreeMap<>();
  private final Map<Bytes, Long> firstFenced = new TreeMap<>();
  private final Set<Integer> broken = new HashSet<>();
  private final Map<Integer, Integer> countedByAppend = new HashMap<>();
  private final boolean forgetsDeletions;
  private long epoch = -1;
  private long now;

  ModelLog(boolean forgetsDeletions) {
    this.forgetsDeletions = forgetsDeletions;
  }

  boolean forgetsDeletions() {
    return forgetsDeletions;
  }

  long now() {
    return now;
  }

  long end() {
    return all.size();
  }

  /** The newest marker. */
  long epoch() {
    return epoch;
  }

  void pass(long time) {
    now += time;
  }

  /** Appends a record, and says whether it counts. */
  boolean append(Entry entry, Origin origin) {
    Stored stored = new Stored(end(), now, entry);
    boolean counts = entry.kind() == Kind.MARKER || isNext(entry, origin);
    if (entry.kind() == Kind.MARKER) {
      epoch = stored.offset();
      broken.clear();
    } else if (counts) {
      countedByAppend.put(origin.append(), origin.index() + 1);
      rows.put(entry.key(), entry.value());
      firstFenced.remove(entry.key());
    } else {
      firstFenced.putIfAbsent(entry.key(), stored.offset());
    }
    all.add(new Truth(stored, origin, counts));
    kept.put(stored.offset(), stored);
    return counts;
  }

  /** The former appends of the writer are there, and no other writer has a newer marker. */
  private boolean isNext(Entry entry, Origin origin) {
    if (entry.epoch() != epoch) {
      return false;
    }
    boolean isNext =
        broken.isEmpty() && countedByAppend.getOrDefault(origin.append(), 0) == origin.index();
    if (!isNext) {
      broken.add(origin.append());
    }
    return isNext;
  }

  boolean counts(long offset) {
    return all.get((int) offset).counts();
  }

  Kind kind(long offset) {
    return all.get((int) offset).stored().entry().kind();
  }

  Origin origin(long offset) {
    return all.get((int) offset).origin();
  }

  /** The counting rows, without deleted rows. */
  Map<Bytes, Bytes> rows() {
    Map<Bytes, Bytes> present = new TreeMap<>();
    rows.forEach((key, value) -> value.ifPresent(bytes -> present.put(key, bytes)));
    return present;
  }

  /** Keys behind whose fenced record nothing counts, with the offset of the first such record. */
  Map<Bytes, Long> unrepaired() {
    return firstFenced;
  }

  /** What is there from {@code offset} on. */
  List<Stored> read(long offset, int count) {
    return kept.tailMap(offset).values().stream().limit(count).toList();
  }

  /** The offset behind the last that a reader at {@code offset} may be told there is nothing at. */
  long nothingBefore(long offset) {
    Long next = kept.ceilingKey(offset);
    return next == null ? end() : next;
  }

  /** Everything from here on is younger than the lag. */
  private long youngFrom() {
    long offset = end();
    while (offset > 0 && all.get((int) offset - 1).stored().timeMicros() > now - LAG) {
      offset--;
    }
    return offset;
  }

  /**
   * The highest border of a compaction: old enough, and, as the design asks for, not behind a
   * fenced record that is not repaired. Nothing from here on was ever compacted.
   */
  long compactableTo() {
    return firstFenced.values().stream()
        .reduce(youngFrom(), (border, fenced) -> Math.min(border, fenced));
  }

  /** Compacts what is below {@code border}. */
  void compact(long border) {
    Map<Bytes, Long> last = new HashMap<>();
    kept.headMap(border).forEach((offset, stored) -> last.put(stored.entry().key(), offset));
    kept.headMap(border)
        .entrySet()
        .removeIf(at -> isGone(at.getValue(), last.get(at.getValue().entry().key())));
  }

  private boolean isGone(Stored stored, long last) {
    if (stored.offset() < last) {
      return true;
    }
    if (stored.entry().value().isPresent() || !forgetsDeletions) {
      return false;
    }
    Long end = tombstoneEnds.putIfAbsent(stored.offset(), now + DELETE_RETENTION);
    return end != null && now > end;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Truth truth : all) {
      Stored stored = truth.stored();
      Entry entry = stored.entry();
      text.append(
          "%d @%d %s key %s epoch %d sequence %d.%d %s%s%n"
              .formatted(
                  stored.offset(),
                  stored.timeMicros(),
                  entry.kind(),
                  entry.key(),
                  entry.epoch(),
                  entry.sequence() / ReplicaCore.APPEND_ENTRIES_MAX,
                  entry.sequence() % ReplicaCore.APPEND_ENTRIES_MAX,
                  truth.counts() ? "counts" : "is fenced",
                  kept.containsKey(stored.offset()) ? "" : ", gone"));
    }
    return text.toString();
  }
}
