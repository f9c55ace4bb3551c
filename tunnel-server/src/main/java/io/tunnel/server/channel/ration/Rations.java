package io.tunnel.server.channel.ration;

import io.tunnel.server.channel.ration.WaitCore.Meanwhile;
import io.tunnel.server.channel.ration.WaitCore.Verdict;
import io.tunnel.server.channel.ration.WaitCore.Waits;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The throttle of a server: a rate limit for the channels that catch up. Its monitor guards both
 * cores and the counts of the last look; nothing else is called under it. Event loops enter the
 * monitor once for each delivery of a channel that lags far, and never for live channels.
 */
public final class Rations {

  /** Time between two looks at the waits of writes, if there were enough writes. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Longest time between two looks, however few writes there were. */
  static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /**
   * A waiting channel asks again after this time at the latest, because the rate may have grown.
   */
  private static final long WAIT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long WRITES_MIN = 8;

  /** After this time without a write, clients count as silent. */
  private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Deliveries come in lumps, so the used rate is a mean over this time. */
  private static final double USED_NANOS = 4.0 * LOOK_NANOS;

  /** A catch-up is over after this time without its deliveries; shorter pauses are the workers'. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RationConfig config;
  private final LongSupplier nanos;
  private final WriteWaits writes;
  private final WaitCore waits;
  private final RationCore core;
  private final AtomicInteger waiting = new AtomicInteger();
  private long lookedNanos;
  private long lookedWrites;
  private long lookedWaitNanos;
  private long lookedBytes;
  private double meanNanos;

  /** Number of writes at the last look. */
  private long seenWrites;

  /** The last time that a write was answered or open. */
  private long wroteNanos;

  /** The last look that found a channel catching up. */
  private long caughtUpNanos;

  /** Bytes a second delivered to channels that catch up, as of the last looks. */
  private double usedPerSecond;

  /** Bytes of all deliveries of channels that lagged far. */
  private long bytes;

  /**
   * The present figures.
   *
   * @param bytes bytes that channels that lag far have delivered
   * @param waiting number of channels that wait for their turn
   * @param bytesPerSecond the throttled rate; infinite when there is no limit
   * @param waitNanos average wait of a write at the last look
   * @param normalWaitNanos average wait of a write without a catch-up; 0 while unknown
   */
  public record Figures(
      long bytes, int waiting, double bytesPerSecond, double waitNanos, double normalWaitNanos) {}

  /** Has no limit until the first write. */
  public Rations(RationConfig config, LongSupplier nanos) {
    this.config = config;
    this.nanos = nanos;
    this.writes = new WriteWaits(nanos);
    this.waits = new WaitCore(config.waitPercentMax());
    this.lookedNanos = nanos.getAsLong();
    this.caughtUpNanos = lookedNanos - QUIET_NANOS;
    this.wroteNanos = lookedNanos - SILENT_NANOS;
    this.core = new RationCore(config.bytesPerSecondMin(), lookedNanos);
  }

  /** Takes the waits of writes. */
  public WriteWaits writes() {
    return writes;
  }

  /** The part of a new channel. */
  public Ration ofChannel() {
    return new Ration(this);
  }

  RationConfig config() {
    return config;
  }

  /**
   * Looks at the waits of writes; called a few times a second, so that normal waits are known
   * before a backlog comes.
   */
  public synchronized void tick() {
    look(nanos.getAsLong());
  }

  synchronized long take(int delivered) {
    long now = nanos.getAsLong();
    bytes += delivered;
    long paidAt = core.take(delivered, now);
    look(now);
    return paidAt;
  }

  /** The wait of a channel whose last delivery is paid at the mark {@code paidAt}. */
  synchronized long leftNanos(long paidAt) {
    long now = nanos.getAsLong();
    look(now);
    return Math.min(WAIT_NANOS_MAX, core.leftNanos(paidAt, now));
  }

  private void look(long now) {
    long passed = now - lookedNanos;
    long written = writes.writtenCount() - lookedWrites;
    long open = writes.openCount();
    if (open > 0 || written > seenWrites) {
      seenWrites = written;
      wroteNanos = now;
    }
    boolean isSilent = now - wroteNanos >= SILENT_NANOS;
    boolean isEnough = written >= WRITES_MIN || isSilent || passed >= LOOK_NANOS_MAX;
    if (passed < LOOK_NANOS || !isEnough) {
      return;
    }
    long waited = writes.waitNanos() - lookedWaitNanos;
    Waits seen = isSilent ? new Waits(passed, 0, 0, 0) : new Waits(passed, written, waited, open);
    boolean isQuiet = measureUse(passed, now);
    Meanwhile meanwhile =
        isQuiet
            ? Meanwhile.NOTHING
            : core.isLeast((long) usedPerSecond) ? Meanwhile.THE_LEAST : Meanwhile.MORE;
    Verdict verdict = waits.judge(seen, meanwhile);
    if (isQuiet && verdict != Verdict.NO_WRITES) {
      core.rest(now);
    } else {
      core.adapt(verdict, (long) usedPerSecond, passed / LOOK_NANOS, now);
      // The used rate before the rate was lowered does not predict the next one.
      if (verdict == Verdict.LONG) {
        usedPerSecond = Math.min(usedPerSecond, (double) core.perSecond());
      }
    }
    meanNanos = seen.meanNanos();
    lookedNanos = now;
    lookedWrites += written;
    seenWrites = 0;
    lookedWaitNanos += waited;
    lookedBytes = bytes;
  }

  /** Updates the used rate; true when no channel has caught up for a while. */
  private boolean measureUse(long passed, long now) {
    double newest = (bytes - lookedBytes) * 1e9 / passed;
    usedPerSecond += (newest - usedPerSecond) * Math.min(1, passed / USED_NANOS);
    if (bytes != lookedBytes || waiting.get() > 0) {
      caughtUpNanos = now;
    }
    return now - caughtUpNanos >= QUIET_NANOS;
  }

  void waits(boolean isWaiting) {
    waiting.addAndGet(isWaiting ? 1 : -1);
  }

  /** The present figures. */
  public synchronized Figures figures() {
    double rate =
        core.perSecond() == RationCore.UNLIMITED || !config.isPaced()
            ? Double.POSITIVE_INFINITY
            : (double) core.perSecond();
    return new Figures(bytes, waiting.get(), rate, meanNanos, waits.normalNanos());
  }
}
