package io.tunnel.it.sim.cluster;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.PageRange;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.server.node.SimClusterNode;
import io.tunnel.wire.Frame;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;

/**
 * Checks that reads of rows are as fresh as promised. The leader by the log shows all writes
 * acknowledged before the read arrived; a leader that was replaced without its knowledge shows all
 * writes acknowledged some time earlier; a strict read is always fresh. The rows of a read existed
 * together at one moment since then.
 */
final class ReadTruth {

  private static final long AGE_NANOS_MAX =
      TimeUnit.MILLISECONDS.toNanos(SimClusterNode.READ_AGE_MS_MAX);

  private final ClusterWorld world;
  private final IntFunction<LogTruth> logs;

  /** By partition and moment, how far writes were acknowledged by then. */
  private final Map<Integer, TreeMap<Long, Long>> acknowledged = new TreeMap<>();

  private final Map<SimConnection, Map<Integer, Asked>> asked = new HashMap<>();

  /** A read that waits for its answer. */
  private record Asked(Frame frame, long arrivedNanos) {}

  ReadTruth(ClusterWorld world, IntFunction<LogTruth> logs) {
    this.world = world;
    this.logs = logs;
  }

  static boolean isRead(Operation operation) {
    return operation == Operation.GET_ROW || operation == Operation.GET_RANGE;
  }

  /** A writer was told that this is written. */
  void acknowledged(int partition, long position) {
    TreeMap<Long, Long> moments = acknowledged.computeIfAbsent(partition, id -> new TreeMap<>());
    long before = moments.isEmpty() ? 0 : moments.lastEntry().getValue();
    moments.put(world.agenda.nowNanos(), Math.max(before, position));
  }

  /** The log of a partition has lost its end; {@code kept} is the last position now. */
  void cut(int partition, long kept) {
    acknowledged
        .getOrDefault(partition, new TreeMap<>())
        .replaceAll((nanos, position) -> Math.min(position, kept));
  }

  private long acknowledgedAt(int partition, long nanos) {
    var last = acknowledged.getOrDefault(partition, new TreeMap<>()).floorEntry(nanos);
    return last == null ? 0 : last.getValue();
  }

  /** A read has arrived where it is answered. */
  void arrived(SimConnection connection, Frame frame) {
    asked
        .computeIfAbsent(connection, any -> new HashMap<>())
        .put(frame.correlationId(), new Asked(frame, world.agenda.nowNanos()));
  }

  /** A read is answered. */
  void answered(SimConnection connection, Frame answer) {
    Asked read = asked.get(connection).remove(answer.correlationId());
    byte[] payload = answer.payload();
    if (answer.operation() == Operation.GET_ROW) {
      ChangeBatch row = RowPage.decode(payload).rows();
      GetRowRequest get = GetRowRequest.decode(read.frame().payload());
      RowFold shown = fold(row);
      LogTruth log = logs.apply(row.partition());
      requireFresh(
          connection,
          read,
          get.terms().isStrict(),
          log,
          since ->
              log.mayShow(
                  since,
                  get.key(),
                  Optional.ofNullable(shown.rows().get(get.key())),
                  world.nowMicros() - (world.agenda.nowNanos() - read.arrivedNanos()) / 1_000,
                  world.nowMicros()),
          "the row " + get.key() + " was read as " + shown.rows());
      world.count(
          get.terms().isStrict() ? ClusterHappening.ROW_READ_STRICTLY : ClusterHappening.ROW_READ);
    } else {
      RowPage page = RowPage.decode(payload);
      RangeRequest range = RangeRequest.decode(read.frame().payload());
      PageRange keys = PageRange.of(range, page);
      RowFold shown = fold(page.rows());
      LogTruth log = logs.apply(page.rows().partition());
      requireFresh(
          connection,
          read,
          range.terms().isStrict(),
          log,
          since -> log.wasSince(since, keys, shown.rows()),
          "the rows of " + keys + " were read as " + shown.rows());
      world.count(
          range.terms().isStrict()
              ? ClusterHappening.RANGE_READ_STRICTLY
              : ClusterHappening.RANGE_READ);
    }
  }

  private static RowFold fold(ChangeBatch rows) {
    RowFold fold = new RowFold();
    fold.apply(rows);
    return fold;
  }

  private void requireFresh(
      SimConnection connection,
      Asked read,
      boolean isStrict,
      LogTruth log,
      LongPredicate wasSince,
      String what) {
    long since = acknowledgedAt(log.partition(), read.arrivedNanos());
    if (wasSince.test(since) || log.mayBeCut(read.arrivedNanos(), Long.MAX_VALUE)) {
      return;
    }
    String node = connection.server().loop().thread().process().name();
    boolean isLeader = node.startsWith(log.leader() + ".");
    long least = acknowledgedAt(log.partition(), read.arrivedNanos() - AGE_NANOS_MAX);
    Invariant.READS_ARE_FRESH.require(
        !isStrict && !isLeader && wasSince.test(least),
        "%s: %s in partition %d, which was not so since position %d (of %d ms before: %d)%s",
        connection,
        what,
        log.partition(),
        since,
        SimClusterNode.READ_AGE_MS_MAX,
        least,
        isStrict ? ", strictly" : isLeader ? ", by the leader" : "");
    world.count(ClusterHappening.STALE_ROW_READ);
  }
}
