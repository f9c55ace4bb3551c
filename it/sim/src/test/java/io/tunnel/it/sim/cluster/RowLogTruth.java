package io.tunnel.it.sim.cluster;

import com.google.gson.JsonParser;
import io.tunnel.codec.WrittenBatch;
import io.tunnel.it.sim.truth.PartitionTruth;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.SimRecords;
import io.tunnel.server.replica.SimReplicaRows;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * The meaning of a partition's whole log: the changes that count, and the rows. The rule is
 * implemented here a second time, without the parts that real replicas need for compacted logs.
 */
final class RowLogTruth extends LogTruth {

  private static final long APPEND_ENTRIES = 1 << 20;

  private final int partition;
  private final SimLog log;
  private final SimReplicaRows rows = new SimReplicaRows(new SplittableRandom(1));

  /** By key, the first record that does not count, if none with that key has counted since. */
  private final Map<Bytes, Long> unrepaired = new TreeMap<>();

  /** By key, when the last change of a row that is there was taken by the log. */
  private final SortedMap<Bytes, Long> written = new TreeMap<>();

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
  RowLogTruth(
      int partition, SimLog log, Consumer<ClusterHappening> counts, LongPredicate isNumbered) {
    super(partition, counts, isNumbered);
    this.partition = partition;
    this.log = log;
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
      count(ClusterHappening.BATCH_LANDED);
    }
    if (entry.kind() == Kind.MARKER) {
      epoch = record.offset();
      sequence = 0;
      isBroken = false;
      leader = leaderOf(entry);
      count(ClusterHappening.MARKER);
      return;
    }
    boolean isNext =
        entry.sequence() == sequence + 1
            || (entry.sequence() % APPEND_ENTRIES == 0 && entry.sequence() > sequence);
    if (entry.epoch() != epoch || isBroken || !isNext) {
      isBroken |= entry.epoch() == epoch;
      unrepaired.putIfAbsent(entry.key(), record.offset());
      count(ClusterHappening.RECORD_FENCED);
      return;
    }
    sequence = entry.sequence();
    unrepaired.remove(entry.key());
    SimRecords.Said said = SimRecords.of(partition, record);
    said.change()
        .map(batch -> PartitionTruth.changesOf(batch).get(0))
        .ifPresent(one -> counts(record.offset(), one));
    SimRecords.fold(rows, said.rows());
    written(entry, record.timeMicros());
    PartitionTruth.changesOf(said.rows()).forEach(row -> fold(record.offset(), row));
    if (entry.kind() == Kind.REPAIR) {
      count(ClusterHappening.ROW_REPAIRED);
    }
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
  @Override
  long firstUnrepaired() {
    return unrepaired.values().stream().min(Long::compare).orElse(Long.MAX_VALUE);
  }

  @Override
  String leader() {
    return leader;
  }

  @Override
  long micros(long position) {
    return log.partition(partition).everything.get((int) position).timeMicros();
  }

  @Override
  SortedMap<Bytes, SortedMap<String, Bytes>> rows() {
    return rows.rows(partition);
  }

  /** A repair keeps the time of its row. */
  @Override
  SortedMap<Bytes, Long> commitTimes() {
    return written;
  }
}
