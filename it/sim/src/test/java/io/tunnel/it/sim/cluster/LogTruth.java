package io.tunnel.it.sim.cluster;

import com.google.gson.JsonParser;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.WrittenBatch;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.PageRange;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.it.sim.truth.Sums;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.server.replica.SimRecords;
import io.tunnel.server.replica.SimReplicaRows;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * The meaning of a partition's whole log: the changes that count, and the rows. The rule is
 * implemented here a second time, without the parts that real replicas need for compacted logs.
 */
final class LogTruth implements WatchedLog {

  private static final long APPEND_ENTRIES = 1 << 20;

  private final int partition;
  private final SimLog log;
  private final Consumer<ClusterHappening> counts;
  private final TreeMap<Long, Change> changes = new TreeMap<>();
  private final SimReplicaRows rows = new SimReplicaRows(new SplittableRandom(1));

  /** By key, the versions of the row with their first positions; empty for no row. */
  private final TreeMap<Bytes, NavigableMap<Long, Optional<Map<String, ColumnValue>>>> versions =
      new TreeMap<>();

  /** By key, the first record that does not count, if none with that key has counted since. */
  private final Map<Bytes, Long> unrepaired = new TreeMap<>();

  /** By key, when the last change of a row that is there was taken by the log. */
  private final SortedMap<Bytes, Long> written = new TreeMap<>();

  private final NumberedTruth.Rising numbered;

  private final RowFold fold = new RowFold();
  private int read;
  private long epoch = -1;
  private long sequence;
  private boolean isBroken;
  private String leader = "";

  /**
   * Knows nothing of the log yet.
   *
   * @param isNumbered whether the writer of a value numbers all its batches
   */
  LogTruth(int partition, SimLog log, Consumer<ClusterHappening> counts, LongPredicate isNumbered) {
    this.partition = partition;
    this.log = log;
    this.counts = counts;
    this.numbered = new NumberedTruth.Rising(isNumbered);
  }

  /** Reads what has landed since. */
  @Override
  public void learn() {
    SimLog.Partition records = log.partition(partition);
    while (read < records.everything.size()) {
      take(records.everything.get(read));
      read++;
    }
  }

  private void take(Stored record) {
    Entry entry = record.entry();
    if (WrittenBatch.of(entry.attributes()).isPresent()) {
      counts.accept(ClusterHappening.BATCH_LANDED);
    }
    if (entry.kind() == Kind.MARKER) {
      epoch = record.offset();
      sequence = 0;
      isBroken = false;
      leader = leaderOf(entry);
      counts.accept(ClusterHappening.MARKER);
      return;
    }
    boolean isNext =
        entry.sequence() == sequence + 1
            || (entry.sequence() % APPEND_ENTRIES == 0 && entry.sequence() > sequence);
    if (entry.epoch() != epoch || isBroken || !isNext) {
      isBroken |= entry.epoch() == epoch;
      unrepaired.putIfAbsent(entry.key(), record.offset());
      counts.accept(ClusterHappening.RECORD_FENCED);
      return;
    }
    sequence = entry.sequence();
    unrepaired.remove(entry.key());
    SimRecords.Said said = SimRecords.of(partition, record);
    Optional<Change> change = said.change().map(batch -> PartitionTruth.changesOf(batch).get(0));
    change.ifPresent(one -> numbered.require(partition, one.record()));
    change.filter(Sums::has).ifPresent(sum -> Sums.require(fold, sum));
    SimRecords.fold(rows, said.rows());
    written(entry, record.timeMicros());
    fold.apply(said.rows());
    PartitionTruth.changesOf(said.rows())
        .forEach(
            row -> {
              Bytes key = KeyCodec.encode(row.record().getPrimaryKey(), RowFold.SCHEMA);
              versions
                  .computeIfAbsent(key, any -> new TreeMap<>())
                  .put(
                      record.offset(), Optional.ofNullable(fold.rows().get(key)).map(TreeMap::new));
            });
    if (entry.kind() == Kind.REPAIR) {
      counts.accept(ClusterHappening.ROW_REPAIRED);
    }
    change.ifPresent(one -> changes.put(record.offset(), one));
  }

  /** Only a change makes a row younger. */
  private void written(Entry entry, long micros) {
    if (entry.value().isEmpty()) {
      written.remove(entry.key());
    } else if (entry.kind() == Kind.CHANGE) {
      written.put(entry.key(), micros);
    }
  }

  /** Who says so in a marker. */
  private static String leaderOf(Entry marker) {
    String text = new String(marker.value().orElseThrow().toByteArray(), StandardCharsets.UTF_8);
    return JsonParser.parseString(text).getAsJsonObject().get("node").getAsString();
  }

  /**
   * The offset of the first record that does not count and is not repaired; or no offset. The log
   * is not compacted beyond it: that there is a leader, who repairs it, at least once in the time
   * that the log keeps everything, is what the design asks for, and a world may have none for
   * longer.
   */
  long firstUnrepaired() {
    return unrepaired.values().stream().min(Long::compare).orElse(Long.MAX_VALUE);
  }

  /** The node that leads by what the log says. */
  String leader() {
    return leader;
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

  /** When the log took what is at a position. */
  long micros(long position) {
    return log.partition(partition).everything.get((int) position).timeMicros();
  }

  /** The position of the last change that counts; 0 when there is none. */
  long last() {
    return changes.isEmpty() ? 0 : changes.lastKey();
  }

  /** The changes that count, by position. */
  SortedMap<Long, Change> changes() {
    return changes;
  }

  SortedMap<Bytes, SortedMap<String, Bytes>> rows() {
    return rows.rows(partition);
  }

  /** When each row was committed; a repair keeps the time of its row. */
  SortedMap<Bytes, Long> commitTimes() {
    return written;
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
