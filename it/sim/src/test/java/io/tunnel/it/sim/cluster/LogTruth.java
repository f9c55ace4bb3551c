package io.tunnel.it.sim.cluster;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.PageRange;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.it.sim.truth.Sums;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/** The meaning of a partition's whole log: the changes that count, and the rows. */
abstract class LogTruth implements WatchedLog {

  private final int partition;
  private final Consumer<ClusterHappening> counts;
  private final TreeMap<Long, Change> changes = new TreeMap<>();

  /** By key, the versions of the row with their first positions; empty for no row. */
  private final TreeMap<Bytes, NavigableMap<Long, Optional<Map<String, ColumnValue>>>> versions =
      new TreeMap<>();

  private final NumberedTruth.Rising numbered;
  private final RowFold fold = new RowFold();

  /**
   * Knows nothing of the log yet.
   *
   * @param isNumbered whether the writer of a value numbers all its batches
   */
  LogTruth(int partition, Consumer<ClusterHappening> counts, LongPredicate isNumbered) {
    this.partition = partition;
    this.counts = counts;
    this.numbered = new NumberedTruth.Rising(isNumbered);
  }

  /** Something was read in the log. */
  final void count(ClusterHappening what) {
    counts.accept(what);
  }

  /** A change counts, as the next one of the partition. */
  final void counts(long position, Change change) {
    numbered.require(partition, change.record());
    if (Sums.has(change)) {
      Sums.require(fold, change);
    }
    changes.put(position, change);
  }

  /** The row of a change is there from this position on. */
  final void fold(long position, Change row) {
    fold.apply(row.record());
    Bytes key = KeyCodec.encode(row.record().getPrimaryKey(), RowFold.SCHEMA);
    versions
        .computeIfAbsent(key, any -> new TreeMap<>())
        .put(position, Optional.ofNullable(fold.rows().get(key)).map(TreeMap::new));
  }

  /** The node that leads by what the log says. */
  abstract String leader();

  /** When the log took what is at a position. */
  abstract long micros(long position);

  /** The rows by encoded keys. */
  abstract SortedMap<Bytes, ? extends Map<String, ?>> rows();

  /** When each row was committed. */
  abstract SortedMap<Bytes, Long> commitTimes();

  /** The offset before which the log may be compacted. */
  long firstUnrepaired() {
    return Long.MAX_VALUE;
  }

  @Override
  public int partition() {
    return partition;
  }

  /** The change at a position, if it counts. */
  @Override
  public Optional<Change> at(long position) {
    return Optional.ofNullable(changes.get(position));
  }

  /** The position of the first change that counts behind another. */
  @Override
  public Optional<Long> after(long position) {
    return Optional.ofNullable(changes.higherKey(position));
  }

  /** The position of the last change that counts; 0 when there is none. */
  long last() {
    return changes.isEmpty() ? 0 : changes.lastKey();
  }

  /** The changes that count, by position. */
  SortedMap<Long, Change> changes() {
    return changes;
  }

  /** What applying all that counts leaves. */
  RowFold fold() {
    return fold;
  }

  /** Whether a row was like that at any moment from a position on. */
  boolean wasSince(long since, StreamRecord row) {
    RowFold alone = new RowFold();
    alone.apply(row);
    Bytes key = KeyCodec.encode(row.getPrimaryKey(), RowFold.SCHEMA);
    return wasSince(since, key, Optional.ofNullable(alone.rows().get(key)));
  }

  /**
   * Whether the row had these columns at any moment from a position on; empty when it was absent.
   */
  boolean wasSince(long since, Bytes key, Optional<Map<String, ColumnValue>> columns) {
    NavigableMap<Long, Optional<Map<String, ColumnValue>>> all =
        versions.getOrDefault(key, new TreeMap<>());
    var then = all.floorEntry(since);
    return (then == null ? columns.isEmpty() : then.getValue().equals(columns))
        || all.tailMap(since, false).containsValue(columns);
  }

  /** Whether the rows of some keys were these at any one moment from a position on. */
  boolean wasSince(
      long since, PageRange keys, NavigableMap<Bytes, NavigableMap<String, ColumnValue>> rows) {
    TreeSet<Long> moments = new TreeSet<>();
    moments.add(since);
    NavigableMap<Bytes, NavigableMap<Long, Optional<Map<String, ColumnValue>>>> all =
        keys.in(versions);
    all.values().forEach(versionsOfRow -> moments.addAll(versionsOfRow.tailMap(since).keySet()));
    return moments.stream().anyMatch(moment -> rowsAt(moment, all).equals(rows));
  }

  private static Map<Bytes, Map<String, ColumnValue>> rowsAt(
      long position, Map<Bytes, NavigableMap<Long, Optional<Map<String, ColumnValue>>>> all) {
    Map<Bytes, Map<String, ColumnValue>> rows = new TreeMap<>();
    all.forEach(
        (key, versionsOfRow) ->
            Optional.ofNullable(versionsOfRow.floorEntry(position))
                .flatMap(Map.Entry::getValue)
                .ifPresent(columns -> rows.put(key, columns)));
    return rows;
  }

  /** Changes that count from {@code first} to {@code last}, inclusive. */
  Map<Long, Change> between(long first, long last) {
    return first > last ? Map.of() : changes.subMap(first, true, last, true);
  }
}
