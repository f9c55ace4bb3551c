package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.ExpiredRows;
import io.tunnel.model.Durability;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.ExpiryIndex;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the rows of a shard that have expired, at a bounded pace. A step looks at the first
 * entries of one partition's index and writes a DELETE of each row that has expired. The DELETE
 * passes through the queue of the shard like any write, and is evaluated there: if a write came
 * first that wrote the row again, the DELETE is left out.
 *
 * <p>Nothing is kept between two steps: after a crash the next sweep finds the same entries. For
 * the shard's thread, but for {@link #tick} and {@link #lagMicros}.
 */
final class ExpirySweep {

  private static final Logger LOGGER = LoggerFactory.getLogger(ExpirySweep.class);

  /** Entries of a step: so many rows are looked up in less than a slice of a fold. */
  static final int STEP_ENTRIES_MAX = 128;

  /** The lag before each partition was looked at. */
  private static final long UNKNOWN = -1;

  /**
   * A tick allows one entry and the entries of so much time at most, however late it comes. The one
   * entry keeps a slow pace exact: a part of an entry that is left over counts in the next tick.
   */
  private static final double TICK_SECONDS_MAX = 0.5;

  private final int id;
  private final Shard shard;
  private final double entriesPerSecondMax;

  /** Whether the shard has a task of this sweep, so that no second one comes. */
  private final AtomicBoolean isBusy = new AtomicBoolean();

  private final SweepTurnsCore turns = new SweepTurnsCore();

  /** The partitions of this tick. */
  private List<Swept> swept = List.of();

  /** Entries that may still be looked at; at least 1 when a step begins, and never below 0. */
  private double allowed;

  /**
   * By partition, entries whose rows have their DELETE: they were charged with it, and are removed
   * for nothing at the next look. Without them a sweep would delete at half of its pace.
   */
  private final Map<Integer, Integer> paid = new HashMap<>();

  /** {@link #UNKNOWN} until each partition was looked at once. */
  private volatile long lagMicros = UNKNOWN;

  /** A partition of a table, and whether its DELETEs are synced. */
  record Swept(int table, int partition, Durability durability) {}

  /**
   * A sweep that has not begun.
   *
   * @param entriesPerSecondMax above 0; below 1 a row goes every few seconds
   */
  ExpirySweep(int id, Shard shard, double entriesPerSecondMax) {
    this.id = id;
    this.shard = shard;
    this.entriesPerSecondMax = entriesPerSecondMax;
  }

  /**
   * How long ago the first row expired that was still stored when the last tick ended, in the
   * partitions that are led here; empty until each of them was looked at.
   */
  OptionalLong lagMicros() {
    long lag = lagMicros;
    return lag == UNKNOWN ? OptionalLong.empty() : OptionalLong.of(lag);
  }

  /** No table of the shard has a time to live. */
  void idle() {
    lagMicros = 0;
  }

  /**
   * Begins a sweep unless one is under way. Any thread, one at a time.
   *
   * @param partitions of the shard whose tables have a time to live
   * @param seconds since the last tick
   */
  void tick(List<Swept> partitions, double seconds) {
    if (!isBusy.compareAndSet(false, true)) {
      return;
    }
    shard.execute(
        Set.of(),
        () -> {
          allowed =
              Math.min(
                  1 + entriesPerSecondMax * TICK_SECONDS_MAX,
                  allowed + entriesPerSecondMax * seconds);
          swept = partitions;
          paid.keySet().retainAll(partitions.stream().map(Swept::partition).toList());
          turns.begin(partitions);
          goOn();
        });
  }

  /** The next partition that may have rows to delete; partitions without any cost no fold. */
  private void goOn() {
    ShardExpiry expiry = shard.expiry();
    for (Swept one : turns.left()) {
      if (!expiry.mayBeOver(one.partition()) || !shard.mayWrite(one.partition())) {
        turns.done(one);
      }
    }
    Optional<Swept> next =
        allowed >= 1 && !shard.hasFailed() ? turns.next() : Optional.<Swept>empty();
    if (next.isPresent()) {
      shard.execute(next.get().partition(), () -> step(next.get()));
      return;
    }
    end();
  }

  private void end() {
    lagMicros = lagNow();
    isBusy.set(false);
  }

  private long lagNow() {
    ShardExpiry expiry = shard.expiry();
    long lag = 0;
    for (Swept one : swept) {
      int partition = one.partition();
      if (!shard.mayWrite(partition)) {
        continue;
      }
      Expiry of = expiry.of(partition);
      if (of.isOn() && !expiry.core().isKnown(partition)) {
        return UNKNOWN;
      }
      long moment = expiry.momentMicros(partition);
      lag = Math.max(lag, expiry.core().lagMicros(partition, of, moment));
    }
    return lag;
  }

  /** When everything of the partition that was acknowledged is folded. */
  private void step(Swept swept) {
    boolean isUnderWay = false;
    try {
      if (!shard.hasFailed() && shard.rows().isLive(swept.partition())) {
        isUnderWay = look(swept);
      } else {
        turns.done(swept);
      }
    } catch (DiskFullException | RefusedException e) {
      LOGGER.debug("shard {} cannot delete expired rows now; will retry", id, e);
      turns.end();
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("shard {} cannot look for expired rows; will retry", id, e);
      turns.end();
    }
    if (!isUnderWay) {
      goOn();
    }
  }

  /** Returns whether DELETEs are under way, whose outcome continues the sweep. */
  private boolean look(Swept swept) throws IOException {
    int partition = swept.partition();
    ShardExpiry own = shard.expiry();
    if (!own.of(partition).isOn()) {
      turns.done(swept);
      return false;
    }
    long span = shard.rows().lives().longest(partition).spanMicros();
    int count = (int) Math.min(STEP_ENTRIES_MAX, allowed);
    List<ExpiryIndex.Entry> entries =
        shard.rows().expiries().first(partition, own.core().fromMicros(partition, span), count);
    ExpiryCore.Look look = own.look(partition, entries, entries.size() < count);
    int removed = look.removed().size();
    int isPaid = Math.min(removed, paid.getOrDefault(partition, 0));
    paid.computeIfPresent(partition, (of, left) -> left > isPaid ? left - isPaid : null);
    allowed -= removed - isPaid + look.expired().size();
    if (!look.removed().isEmpty()) {
      own.change(partition, look);
    }
    if (!look.isMore()) {
      turns.done(swept);
    }
    if (look.expired().isEmpty()) {
      return false;
    }
    write(swept, look.expired());
    return true;
  }

  private void write(Swept swept, List<Bytes> keys) {
    ChangeBatch batch = ExpiredRows.of(swept.partition(), keys);
    shard.write(
        new PendingWrite(
            batch,
            true,
            ColumnSizes.of(batch),
            swept.durability() == Durability.FSYNC,
            new Deleted(swept.partition(), keys.size())));
  }

  /** What became of DELETEs. */
  private final class Deleted implements PendingWrite.Outcome {
    private final int partition;
    private final int rows;

    Deleted(int partition, int rows) {
      this.partition = partition;
      this.rows = rows;
    }

    @Override
    public void written(WriteResult result) {
      shard.meter().expired(id, result.appliedRows());
      shard.execute(
          Set.of(),
          () -> {
            paid.merge(partition, rows, Integer::sum);
            goOn();
          });
    }

    /**
     * The shard is full, has failed or stops: the next tick finds the rows again. The lag grows
     * meanwhile.
     */
    @Override
    public void refused(RefusedException reason) {
      turns.end();
      end();
    }
  }
}
