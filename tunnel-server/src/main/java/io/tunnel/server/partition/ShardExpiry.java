package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.partition.judge.AliveAt;
import io.tunnel.server.table.AliveRows;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.ExpiryIndex;
import io.tunnel.server.table.PassedTime;
import io.tunnel.server.table.TableRows;
import java.io.IOException;
import java.util.List;

/**
 * The time by which a shard checks whether rows have expired. The shard's thread reads the clock in
 * front of each group and of each posted task, and readers use the time that it read last. So no
 * reader sees a row expire between the evaluation of a write that keeps the row alive and the
 * commit of this write. For the shard's thread, but for {@link #readable}.
 */
final class ShardExpiry {

  private final ShardRows rows;
  private final FoldQueue folds;
  private final Lanes lanes;
  private final Shard.Clock clock;
  private final ExpiryCore core = new ExpiryCore();
  private volatile PassedTime moment;

  ShardExpiry(ShardRows rows, FoldQueue folds, Lanes lanes, Shard.Clock clock) {
    this.rows = rows;
    this.folds = folds;
    this.lanes = lanes;
    this.clock = clock;
    this.moment = clock.passed();
    core.shows(moment.micros());
  }

  ExpiryCore core() {
    return core;
  }

  /** A new time, which readers see from now on. */
  void pass() {
    moment = clock.passed();
    core.shows(moment.micros());
  }

  /** The clock for a commit; no time that readers use. */
  long commitMicros() {
    long now = clock.epochMicros();
    if (now < moment.micros()) {
      core.shows(now);
    }
    return now;
  }

  /** The time that was read last, as it is for the rows of a partition. */
  long momentMicros(int partition) {
    return moment.micros(of(partition).ttlMicros());
  }

  Expiry of(int partition) {
    return rows.lives().apply(partition);
  }

  /** Whether a row of the partition may have expired, so that each write must look at its rows. */
  boolean mayBeOver(int partition) {
    Expiry expiry = of(partition);
    return expiry.isOn() && core.mayBeOver(partition, expiry, moment.micros(expiry.ttlMicros()));
  }

  /** How the stored rows that a write changes are evaluated at this time. */
  AliveAt aliveAt(PendingWrite write) {
    Expiry expiry = of(write.batch().partition());
    return expiry.isOn() ? new AliveAt(expiry, moment.micros(expiry.ttlMicros())) : AliveAt.EVER;
  }

  /**
   * Looks at the first entries of a partition. The rows of groups under way have no entries yet,
   * and count as rows that were seen.
   *
   * @param isAll whether there are no other entries
   */
  ExpiryCore.Look look(int partition, List<ExpiryIndex.Entry> entries, boolean isAll) {
    ExpiryCore.Look look =
        core.look(
            partition,
            of(partition),
            momentMicros(partition),
            entries,
            isAll,
            key -> rows.commitMicros(partition, key));
    lanes.underWaySince(partition).ifPresent(micros -> core.saw(partition, micros));
    return look;
  }

  /** Changes of another leader come next; the clock of the leader may be behind. */
  void follows(List<ChangeBatch> changes) {
    changes.forEach(batch -> core.saw(batch.partition(), batch.commitMicros()));
  }

  /** Changes the index as a look says; the log speaks of the rows alone. */
  void change(int partition, ExpiryCore.Look look) throws IOException {
    folds.change(() -> rows.expiries().change(partition, look.removed(), look.added()));
  }

  /** A partition is gone. */
  void drop(int partition) {
    core.drop(partition);
    rows.lives().drop(partition);
  }

  /** The rows for readers on any thread, without those that have expired. */
  TableRows readable() {
    return new AliveRows(rows.readable(), rows.lives(), moment);
  }
}
