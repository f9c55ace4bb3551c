package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.processor.StreamRecord.RecordType;
import java.util.Optional;

/**
 * When rows of a partition expire: each once, in the log by a DELETE with this cause. The clock is
 * that of the partition's leader, so two leaders may differ by {@link #CLOCKS_MICROS_MAX}.
 */
final class LifeTruth {

  /** How far the clocks of two machines may differ, and how far one clock may be set back. */
  static final long CLOCKS_MICROS_MAX = 2L * ClusterWorld.SKEW_MICROS_MAX;

  /** An idle shard reads its clock at least so often. */
  private static final long MOMENT_MICROS_MAX = 500_000;

  private final int partition;
  private final long ttlMicros;

  /** No row expires while {@code ttlMicros} is 0. */
  LifeTruth(int partition, long ttlMicros) {
    this.partition = partition;
    this.ttlMicros = ttlMicros;
  }

  /** Whether rows expire. */
  boolean isOn() {
    return ttlMicros > 0;
  }

  static boolean isExpiry(StreamRecord change) {
    return change.deletionCause().equals(Optional.of(DeletionCause.EXPIRED));
  }

  /**
   * Takes the next change of the log: a DELETE of an expired row comes when the time of the row is
   * over, and a write of a row that is over for every clock comes behind such a DELETE.
   *
   * @param before the rows before the change
   */
  void require(StreamRecord change, RowFold before) {
    Bytes key = RowFold.encode(change.getPrimaryKey());
    boolean isThere = isOn() && before.rows().containsKey(key);
    long overMicros = isThere ? before.commitMicros(key) + ttlMicros : Long.MAX_VALUE;
    Invariant.EXPIRES_ONCE.require(
        isExpiry(change)
            ? change.getRecordType() == RecordType.DELETE && overMicros <= change.commitMicros()
            : overMicros > change.commitMicros() - CLOCKS_MICROS_MAX,
        "partition %d: %s at %d microseconds, and the row %s",
        partition,
        change,
        change.commitMicros(),
        isThere ? "is over at " + overMicros : "is not there");
  }

  /**
   * Whether a row that was written then may be shown by an answer.
   *
   * @param sinceMicros when the question arrived
   */
  boolean mayBeThere(long writtenMicros, long sinceMicros) {
    return !isOn()
        || writtenMicros + ttlMicros
            > sinceMicros - ClusterWorld.SKEW_MICROS_MAX - MOMENT_MICROS_MAX;
  }

  /** Whether a row that was written then may be missing in an answer of now. */
  boolean mayBeOver(long writtenMicros, long nowMicros) {
    return isOn() && writtenMicros + ttlMicros <= nowMicros + ClusterWorld.SKEW_MICROS_MAX;
  }

  /** When the time of the last row is over, in microseconds since 1970; 0 without a row. */
  long lastMicros(RowFold rows) {
    return rows.rows().keySet().stream()
        .mapToLong(key -> isOn() ? rows.commitMicros(key) + ttlMicros : 0)
        .max()
        .orElse(0);
  }

  /** Every row that was over long ago has its DELETE, in a cluster at rest. */
  void requireExpired(RowFold rows, long nowMicros) {
    for (Bytes key : rows.rows().keySet()) {
      Invariant.EXPIRES_ONCE.require(
          !isOn()
              || rows.commitMicros(key) + ttlMicros
                  > nowMicros - CLOCKS_MICROS_MAX - MOMENT_MICROS_MAX,
          "partition %d: row %s of %d microseconds is still there at %d",
          partition,
          key,
          rows.commitMicros(key),
          nowMicros);
    }
  }
}
