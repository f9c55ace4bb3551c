package io.tunnel.it.sim.cluster;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenRows;
import io.tunnel.it.sim.cluster.append.SimAppends;
import io.tunnel.it.sim.truth.BoundTruth;
import io.tunnel.it.sim.truth.ChosenNumbers;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.NumberedTruth;
import io.tunnel.it.sim.truth.PageRange;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.it.sim.truth.Sums;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.AtomicBatch;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.server.replica.append.AppendHeader;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.SimRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * The meaning of a partition's whole log: the changes that count, and the rows. The rule which
 * records count is implemented here a second time.
 */
final class LogTruth implements WatchedLog {

  private final int partition;
  private final Consumer<ClusterHappening> counts;
  private final TreeMap<Long, Change> changes = new TreeMap<>();

  /** By key, the versions of the row with their first positions; empty for no row. */
  private final TreeMap<Bytes, NavigableMap<Long, Optional<Map<String, ColumnValue>>>> versions =
      new TreeMap<>();

  private final NumberedTruth.Rising numbered;
  private final ChosenNumbers chosen = new ChosenNumbers();
  private final BoundTruth bound;
  private final LongPredicate hasSession;
  private LifeTruth life;
  private RowFold fold = new RowFold();
  private final SimAppends log;
  private final TrimTruth trims;
  private final TreeMap<Long, Long> micros = new TreeMap<>();

  /** When the log lost its end, and the last position that was left then. */
  private final List<Cut> cuts = new ArrayList<>();

  private int read;
  private long epoch = -1;
  private long marker;
  private long markerMs;
  private long number;
  private long next = 1;
  private long lastMicros;
  private String leader = "";

  /** A leader hears of a lost end within this time. */
  private static final long HEARD_NANOS_MAX = TimeUnit.SECONDS.toNanos(6);

  private record Cut(long nanos, long kept) {}

  /**
   * Knows nothing of the log yet.
   *
   * @param isNumbered whether the writer of a value numbers all its batches
   * @param hasSession whether the catalog's log has a row session
   */
  LogTruth(
      TrimTruth.Of of,
      Consumer<ClusterHappening> counts,
      LongPredicate isNumbered,
      LongPredicate hasSession) {
    this.partition = of.partition();
    this.log = of.appends();
    this.trims = new TrimTruth(of, counts);
    this.counts = counts;
    this.numbered = new NumberedTruth.Rising(isNumbered);
    this.bound = new BoundTruth(partition, false);
    this.hasSession = hasSession;
    this.life = new LifeTruth(partition, 0);
  }

  /** Rows expire so long after their last write; before the first write. */
  void expires(long ttlMicros) {
    life = new LifeTruth(partition, ttlMicros);
  }

  /** Reads what has landed since. */
  @Override
  public void learn() {
    List<Stored> records = log.records(partition);
    while (read < records.size()) {
      take(records.get(read));
      read++;
    }
    trims.requireKept();
  }

  /** The offset from which on the log may lose records: a trim that was carried out stays. */
  int cuttable() {
    return trims.offset();
  }

  /** The log has lost its end, which was learned; returns the last position that is left. */
  long cut(long nanos) {
    read = 0;
    epoch = -1;
    marker = 0;
    number = 0;
    next = 1;
    lastMicros = 0;
    fold = new RowFold();
    changes.clear();
    versions.clear();
    micros.clear();
    numbered.clear();
    trims.clear();
    learn();
    cuts.add(new Cut(nanos, last()));
    return last();
  }

  @Override
  public boolean mayBeCut(long nanos, long position) {
    return cuts.stream()
        .anyMatch(cut -> cut.kept() < position && nanos <= cut.nanos() + HEARD_NANOS_MAX);
  }

  /** What is trimmed of the log. */
  TrimTruth trims() {
    return trims;
  }

  private void take(Stored record) {
    AppendHeader header = record.header();
    if (header.kind() == AppendHeader.Kind.MARKER) {
      epoch = record.offset();
      marker = header.marker();
      markerMs = record.timeMs();
      number = 0;
      leader = SimRecords.leaderOf(record);
      counts.accept(ClusterHappening.MARKER);
      return;
    }
    boolean isOfEpoch = header.epoch() == epoch && header.marker() == marker;
    if (!isOfEpoch || header.number() != number + 1 || header.first() != next) {
      epoch = isOfEpoch ? -1 : epoch;
      counts.accept(ClusterHappening.RECORD_FENCED);
      return;
    }
    number++;
    switch (header.kind()) {
      case BATCHES -> {
        List<Change> changesOf = new ArrayList<>();
        SimRecords.batches(partition, record).forEach(batch -> changesOf.addAll(take(batch)));
        requireWhole(changesOf);
      }
      case SNAPSHOT -> trims.named(record, next);
      case TRIM -> trims.trimmed(record, micros::get);
      case MARKER, BEGIN -> throw new IllegalStateException("no record of an epoch: " + header);
    }
    Invariant.POSITIONS_STAY.require(
        next == header.first() + header.changes(),
        "partition %d has %s, and the next position is %d",
        partition,
        header,
        next);
  }

  /** No record begins or ends inside of an atomic batch. */
  private void requireWhole(List<Change> changesOf) {
    int missing = 0;
    for (Change change : changesOf) {
      Optional<AtomicBatch> atomic = change.record().atomicBatch();
      int left = atomic.map(of -> of.size() - of.index()).orElse(0);
      Invariant.BATCHES_ARE_WHOLE.require(
          missing == 0 ? atomic.map(AtomicBatch::isFirst).orElse(true) : left == missing,
          "partition %d has %s where %d rows of an atomic batch are missing",
          partition,
          atomic,
          missing);
      missing = Math.max(0, left - 1);
      atomic.ifPresent(of -> counts.accept(ClusterHappening.ATOMIC_ROW_LANDED));
    }
    Invariant.BATCHES_ARE_WHOLE.require(
        missing == 0, "partition %d lacks %d rows of an atomic batch", partition, missing);
  }

  /** Takes a batch that counts; returns the changes of the batch. */
  private List<Change> take(ChangeBatch batch) {
    if (!WrittenRows.of(batch).isEmpty()) {
      counts.accept(ClusterHappening.BATCH_LANDED);
    }
    if (batch.rowCount() == 0) {
      return List.of();
    }
    Invariant.POSITIONS_STAY.require(
        batch.commitMicros() >= lastMicros,
        "partition %d has changes of %d behind changes of %d",
        partition,
        batch.commitMicros(),
        lastMicros);
    lastMicros = batch.commitMicros();
    List<Change> changesOf = PartitionTruth.changesOf(batch);
    for (Change change : changesOf) {
      Invariant.POSITIONS_STAY.require(
          change.record().position() == next,
          "partition %d has position %d where %d is the next",
          partition,
          change.record().position(),
          next);
      counts(next, change);
      fold(next, change);
      micros.put(next, lastMicros);
      next++;
    }
    return changesOf;
  }

  /** The offset of the marker of the newest epoch; negative when this epoch is over. */
  long epoch() {
    return epoch;
  }

  /** When the log took the last marker, in milliseconds. */
  long markerMs() {
    return markerMs;
  }

  /** The node that leads by what the log says. */
  String leader() {
    return leader;
  }

  /** When the log took what is at a position. */
  long micros(long position) {
    return micros.get(position);
  }

  /** The rows by encoded keys. */
  SortedMap<Bytes, NavigableMap<String, ColumnValue>> rows() {
    return fold.rows();
  }

  /**
   * Whether a replica may show these rows now: all rows, without some whose time is over by the
   * clock of the node.
   */
  boolean mayBe(SortedMap<Bytes, ? extends Map<String, ?>> rows, long nowMicros) {
    return fold.rows().keySet().containsAll(rows.keySet())
        && fold.rows().entrySet().stream()
            .allMatch(
                row ->
                    rows.containsKey(row.getKey())
                        ? row.getValue().equals(rows.get(row.getKey()))
                        : life.mayBeOver(fold.commitMicros(row.getKey()), nowMicros));
  }

  /** When each row was committed. */
  SortedMap<Bytes, Long> commitTimes() {
    SortedMap<Bytes, Long> times = new TreeMap<>();
    fold.rows().keySet().forEach(key -> times.put(key, fold.commitMicros(key)));
    return times;
  }

  /** A change counts, as the next one of the partition. */
  private void counts(long position, Change change) {
    numbered.require(partition, change.record());
    chosen.require(partition, change.record());
    life.require(change.record(), fold);
    if (LifeTruth.isExpiry(change.record())) {
      counts.accept(ClusterHappening.ROW_EXPIRED);
    }
    if (bound.require(change, hasSession)) {
      counts.accept(ClusterHappening.ROW_UNBOUND);
    }
    if (Sums.has(change)) {
      Sums.require(fold, change);
    }
    changes.put(position, change);
  }

  /** The row of a change is there from this position on. */
  private void fold(long position, Change row) {
    fold.apply(row.record());
    Bytes key = RowFold.encode(row.record().getPrimaryKey());
    versions
        .computeIfAbsent(key, any -> new TreeMap<>())
        .put(position, Optional.ofNullable(fold.rows().get(key)).map(TreeMap::new));
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

  /** Whether a row was like that behind a position. */
  boolean wasAt(long position, StreamRecord row) {
    RowFold alone = new RowFold();
    alone.apply(row);
    Bytes key = RowFold.encode(row.getPrimaryKey());
    Optional<Map<String, ColumnValue>> columns = Optional.ofNullable(alone.rows().get(key));
    return at(position, versions.getOrDefault(key, new TreeMap<>())).equals(columns);
  }

  private static Optional<Map<String, ColumnValue>> at(
      long position, NavigableMap<Long, Optional<Map<String, ColumnValue>>> versionsOfRow) {
    return Optional.ofNullable(versionsOfRow.floorEntry(position)).flatMap(Map.Entry::getValue);
  }

  /** The first key between two keys that had a row behind a position. */
  Optional<Bytes> between(long position, Bytes from, Bytes to) {
    return versions.subMap(from, false, to, false).entrySet().stream()
        .filter(each -> at(position, each.getValue()).isPresent())
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Whether a row was like that at any moment from a position on. */
  boolean wasSince(long since, StreamRecord row) {
    RowFold alone = new RowFold();
    alone.apply(row);
    Bytes key = RowFold.encode(row.getPrimaryKey());
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

  /**
   * Whether a read may have shown a row that expires like this.
   *
   * @param arrivedMicros when the read arrived
   * @param nowMicros when the read is answered
   */
  boolean mayShow(
      long since,
      Bytes key,
      Optional<Map<String, ColumnValue>> columns,
      long arrivedMicros,
      long nowMicros) {
    NavigableMap<Long, Optional<Map<String, ColumnValue>>> all =
        versions.getOrDefault(key, new TreeMap<>());
    Long then = all.floorKey(since);
    if (then == null && columns.isEmpty()) {
      return true;
    }
    return all.tailMap(then == null ? since : then, true).entrySet().stream()
        .anyMatch(
            version ->
                columns.isEmpty()
                    ? version.getValue().isEmpty()
                        || life.mayBeOver(micros(version.getKey()), nowMicros)
                    : version.getValue().equals(columns)
                        && life.mayBeThere(micros(version.getKey()), arrivedMicros));
  }

  /** The largest number of the column that the cluster numbers. */
  long largestNumber() {
    return chosen.largest();
  }

  /** When the time of the last row is over, in microseconds since 1970; 0 without such a row. */
  long lastExpiresMicros() {
    return life.lastMicros(fold);
  }

  /** Each row that was over a while ago has gone. */
  void requireExpired(long nowMicros) {
    life.requireExpired(fold, nowMicros);
  }

  /** No row is left of a session that has ended. */
  void requireUnbound() {
    bound.requireGone(hasSession);
  }

  /** The close of a row session is answered. */
  void requireClosed(long session) {
    bound.requireClosed(session);
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
            at(position, versionsOfRow).ifPresent(columns -> rows.put(key, columns)));
    return rows;
  }

  /** Changes that count from {@code first} to {@code last}, inclusive. */
  Map<Long, Change> between(long first, long last) {
    return first > last ? Map.of() : changes.subMap(first, true, last, true);
  }
}
