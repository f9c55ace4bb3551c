package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.server.node.SimClusterNode;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The rows that the leader of a partition keeps for a tunnel: while the same leader leads in the
 * same epoch, and the rows are not too old, base data has exactly the rows behind the position at
 * which the stream channel begins. Of no other position is anything promised.
 */
final class PinTruth {

  /** A look at the age may be so much late. */
  private static final long SLACK_MS = 300;

  private final LogTruth log;
  private final long position;
  private final long epoch;
  private final long untilMs;
  private final LongSupplier nowMs;

  /** Nothing was given yet. */
  private long given;

  private Bytes lastKey = Bytes.EMPTY;
  private boolean isOver;

  private PinTruth(LogTruth log, long position, long untilMs, LongSupplier nowMs) {
    this.log = log;
    this.position = position;
    this.epoch = log.epoch();
    this.untilMs = untilMs;
    this.nowMs = nowMs;
  }

  /**
   * The rows that are kept for a tunnel that has just been stored; empty where another leader may
   * have come since the tunnel was asked for.
   *
   * @param position where the stream channel begins
   * @param askedMs when the tunnel was asked for
   */
  static Optional<PinTruth> of(LogTruth log, long position, long askedMs, LongSupplier nowMs) {
    return log.epoch() < 0 || log.markerMs() >= askedMs
        ? Optional.empty()
        : Optional.of(
            new PinTruth(
                log, position, askedMs + SimClusterNode.SNAPSHOT_MS_MAX - SLACK_MS, nowMs));
  }

  private boolean isKept() {
    isOver |= log.epoch() != epoch || nowMs.getAsLong() > untilMs;
    return !isOver;
  }

  /** Rows are sent to a worker; returns whether they must be those of the position. */
  boolean delivered(List<StreamRecord> rows) {
    if (!isKept()) {
      return false;
    }
    for (StreamRecord row : rows) {
      Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
          log.wasAt(position, row),
          "partition %d: base data has %s, which that row was not behind position %d",
          log.partition(),
          row,
          position);
    }
    return !rows.isEmpty();
  }

  /**
   * Rows are given to a processor, numbered from the first row of the partition on: no row of the
   * position is left out between them.
   */
  void given(StreamRecord row, Bytes key) {
    boolean isNext = row.position() == given + 1;
    if (isNext && isKept()) {
      Invariant.BASE_AND_STREAM_WITHOUT_GAP.require(
          log.between(position, lastKey, key).isEmpty(),
          "partition %d: base data leaves out row %s, which was there behind position %d",
          log.partition(),
          log.between(position, lastKey, key),
          position);
    }
    if (isNext) {
      given++;
      lastKey = key;
    }
  }
}
