package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.cluster.append.SimAppends;
import io.tunnel.it.sim.cluster.append.SimBlocks;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.SimRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * What may be missing of a partition's log and of its blocks: what lies before the second newest
 * snapshot that some node has read back, and before all that the table keeps. The rule is
 * implemented here a second time.
 */
final class TrimTruth {

  private static final Pattern LOST =
      Pattern.compile("changes (\\d+) to (\\d+) of partition (\\d+)");

  private final Of of;
  private final Consumer<ClusterHappening> counts;

  /** Snapshots that count, by rising ids. */
  private final List<SimRecords.Named> snapshots = new ArrayList<>();

  private SimRecords.Trimmed trimmed = SimRecords.Trimmed.NONE;
  private long deleted;
  private int lastTrim;

  /**
   * The logs of a partition.
   *
   * @param retentionMicros how long the table keeps changes
   */
  record Of(int partition, SimAppends appends, SimBlocks blocks, long retentionMicros) {}

  TrimTruth(Of of, Consumer<ClusterHappening> counts) {
    this.of = of;
    this.counts = counts;
  }

  /** A record that names a snapshot counts; {@code next} is the next position of the log. */
  void named(Stored record, long next) {
    SimRecords.Named named = SimRecords.named(record);
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        named.position() <= next && named.offset() <= record.offset(),
        "%s of partition %d is named at position %d, offset %d",
        named,
        of.partition(),
        next,
        record.offset());
    snapshots.add(named);
    counts.accept(ClusterHappening.SNAPSHOT_NAMED);
  }

  /**
   * A record that trims counts.
   *
   * @param micros when a change was committed, by position
   */
  void trimmed(Stored record, LongUnaryOperator micros) {
    SimRecords.Trimmed next = SimRecords.trimmed(record);
    List<SimRecords.Named> verified = snapshots.stream().filter(this::isReadBack).toList();
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        verified.size() >= 2 && isKept(verified.get(verified.size() - 2), next),
        "partition %d is trimmed to %s, and nodes have read back %s of %s",
        of.partition(),
        next,
        verified,
        snapshots);
    long keptMicros =
        of.retentionMicros() == Long.MAX_VALUE
            ? Long.MIN_VALUE
            : record.timeMs() * 1_000 - of.retentionMicros();
    Invariant.KEPT_AS_PROMISED.require(
        next.position() == 1 || micros.applyAsLong(next.position() - 1) < keptMicros,
        "partition %d is trimmed to %s, and the table keeps changes since %d",
        of.partition(),
        next,
        keptMicros);
    if (next.offset() > trimmed.offset()) {
      counts.accept(ClusterHappening.LOG_TRIMMED);
    }
    trimmed = trimmed.with(next);
    lastTrim = (int) record.offset() + 1;
  }

  /** The log has lost its end, and is read again. */
  void clear() {
    snapshots.clear();
    trimmed = SimRecords.Trimmed.NONE;
  }

  /** The offset behind the last record that trims. */
  int offset() {
    return lastTrim;
  }

  /** Whether changes may be missing. */
  boolean isTrimmed() {
    return trimmed.position() > 1;
  }

  private static boolean isKept(SimRecords.Named second, SimRecords.Trimmed trim) {
    return trim.position() <= second.position()
        && trim.offset() <= second.offset()
        && trim.block() <= second.firstBlock();
  }

  /** Whether nodes were given all blocks of a snapshot intact. */
  private boolean isReadBack(SimRecords.Named named) {
    Set<SimBlocks.Name> given = of.blocks().given(of.partition());
    return IntStream.range(0, named.blocks())
        .allMatch(number -> given.contains(new SimBlocks.Name(named.id(), number)));
  }

  /** Only a record allows a deletion. */
  void requireKept() {
    long first = of.appends().first(of.partition());
    Invariant.ACKNOWLEDGED_SURVIVES.require(
        first <= trimmed.offset() && of.blocks().first(of.partition()) <= trimmed.block(),
        "partition %d begins at offset %d, and its blocks at %d, where %s is allowed",
        of.partition(),
        first,
        of.blocks().first(of.partition()),
        trimmed);
    if (first > deleted) {
      deleted = first;
      counts.accept(ClusterHappening.RECORDS_DELETED);
    }
  }

  /** Somebody is told that changes are lost, which must be behind a trim. */
  void requireLost(String said) {
    Matcher lost = LOST.matcher(said);
    Invariant.KEPT_AS_PROMISED.require(
        lost.find() && Long.parseLong(lost.group(2)) < trimmed.position(),
        "partition %d is trimmed to %s, and somebody is told: %s",
        of.partition(),
        trimmed,
        said);
  }

  /** The partition that somebody is told of; -1 for none. */
  static int partition(String said) {
    Matcher lost = LOST.matcher(said);
    return lost.find() ? Integer.parseInt(lost.group(3)) : -1;
  }
}
