package io.tunnel.it.sim.cluster;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenRows;
import io.tunnel.it.sim.cluster.append.SimAppends;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.it.sim.truth.PartitionTruth.Change;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.processor.AtomicBatch;
import io.tunnel.server.replica.append.AppendHeader;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.SimAppendRecords;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * The meaning of a log with a record for each append. The rule which records count is implemented
 * here a second time.
 */
final class AppendLogTruth extends LogTruth {

  private final int partition;
  private final SimAppends log;
  private final TreeMap<Long, Long> micros = new TreeMap<>();
  private int read;
  private long epoch = -1;
  private long marker;
  private long number;
  private long next = 1;
  private long lastMicros;
  private String leader = "";

  /** As {@link LogTruth}. */
  AppendLogTruth(
      int partition, SimAppends log, Consumer<ClusterHappening> counts, LongPredicate isNumbered) {
    super(partition, counts, isNumbered);
    this.partition = partition;
    this.log = log;
  }

  @Override
  public void learn() {
    List<Stored> records = log.records(partition);
    while (read < records.size()) {
      take(records.get(read));
      read++;
    }
  }

  private void take(Stored record) {
    AppendHeader header = record.header();
    if (header.kind() == AppendHeader.Kind.MARKER) {
      epoch = record.offset();
      marker = header.marker();
      number = 0;
      leader = SimAppendRecords.leaderOf(record);
      count(ClusterHappening.MARKER);
      return;
    }
    boolean isOfEpoch = header.epoch() == epoch && header.marker() == marker;
    if (!isOfEpoch || header.number() != number + 1 || header.first() != next) {
      epoch = isOfEpoch ? -1 : epoch;
      count(ClusterHappening.RECORD_FENCED);
      return;
    }
    number++;
    if (header.kind() == AppendHeader.Kind.BATCHES) {
      List<ChangeBatch> batches = SimAppendRecords.batches(partition, record);
      batches.forEach(this::take);
      requireWhole(batches);
    }
    Invariant.POSITIONS_STAY.require(
        next == header.first() + header.changes(),
        "partition %d has %s, and the next position is %d",
        partition,
        header,
        next);
  }

  /** No record begins or ends inside of an atomic batch. */
  private void requireWhole(List<ChangeBatch> batches) {
    int missing = 0;
    for (ChangeBatch batch : batches) {
      for (Change change : PartitionTruth.changesOf(batch)) {
        Optional<AtomicBatch> atomic = change.record().atomicBatch();
        int left = atomic.map(of -> of.size() - of.index()).orElse(0);
        Invariant.BATCHES_ARE_WHOLE.require(
            missing == 0 ? atomic.map(AtomicBatch::isFirst).orElse(true) : left == missing,
            "partition %d has %s where %d rows of an atomic batch are missing",
            partition,
            atomic,
            missing);
        missing = Math.max(0, left - 1);
        atomic.ifPresent(of -> count(ClusterHappening.ATOMIC_ROW_LANDED));
      }
    }
    Invariant.BATCHES_ARE_WHOLE.require(
        missing == 0, "partition %d lacks %d rows of an atomic batch", partition, missing);
  }

  private void take(ChangeBatch batch) {
    if (!WrittenRows.of(batch).isEmpty()) {
      count(ClusterHappening.BATCH_LANDED);
    }
    if (batch.rowCount() == 0) {
      return;
    }
    Invariant.POSITIONS_STAY.require(
        batch.commitMicros() >= lastMicros,
        "partition %d has changes of %d behind changes of %d",
        partition,
        batch.commitMicros(),
        lastMicros);
    lastMicros = batch.commitMicros();
    for (Change change : PartitionTruth.changesOf(batch)) {
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
  }

  @Override
  String leader() {
    return leader;
  }

  @Override
  long micros(long position) {
    return micros.get(position);
  }

  @Override
  SortedMap<Bytes, NavigableMap<String, ColumnValue>> rows() {
    return fold().rows();
  }

  @Override
  SortedMap<Bytes, Long> commitTimes() {
    SortedMap<Bytes, Long> times = new TreeMap<>();
    fold().rows().keySet().forEach(key -> times.put(key, fold().commitMicros(key)));
    return times;
  }
}
