package io.tunnel.server.channel.ration;

import io.tunnel.server.channel.ration.WaitCore.Meanwhile;
import io.tunnel.server.channel.ration.WaitCore.Verdict;
import io.tunnel.server.channel.ration.WaitCore.Waits;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The ration of a server. Its monitor guards both cores and what was counted at the last look;
 * nothing else is called under it. Event loops take it once for each delivery of a channel that is
 * far behind, and those of live channels never do.
 */
public final class Rations {

  /** Between two looks at the waits of writes, if there were enough of these. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Between two looks however few writes there were. */
  static final long LOOK_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /** A channel that waits looks again after so long, since the ration may have grown. */
  private static final long WAIT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long WRITES_MIN = 8;

  /** Nobody writes when nothing was written for so long. */
  private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Deliveries come in lumps, so what is used is a mean over some looks. */
  private static final double USED_NANOS = 4.0 * LOOK_NANOS;

  /** Nobody catches up when nothing was for so long; until then workers have to do with it. */
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

  /** Writes since the last look. */
  private long seenWrites;

  /** When another write was answered, or one had no answer. */
  private long wroteNanos;

  /** When the last look was that found somebody catching up. */
  private long caughtUpNanos;

  /** What those who catch up are delivered, as of the last looks. */
  private double usedPerSecond;

  /** Bytes of all deliveries of channels that were far behind. */
  private long bytes;

  /**
   * What is known of it now.
   *
   * @param bytes that were delivered by channels that were far behind
   * @param waiting channels that wait for their turn
   * @param bytesPerSecond the ration; infinite when there is no limit
   * @param waitNanos how long a write waited on average at the last look
   * @param normalWaitNanos how long it does when nothing is caught up; 0 before that is known
   */
  public record Figures(
      long bytes, int waiting, double bytesPerSecond, double waitNanos, double normalWaitNanos) {}

  /** Without a limit until something is written. */
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

  /** Where it is told how long writes wait. */
  public WriteWaits writes() {
    return writes;
  }

  /** The part of one channel, which has delivered nothing yet. */
  public Ration ofChannel() {
    return new Ration(this);
  }

  RationConfig config() {
    return config;
  }

  /**
   * Looks how long writes wait; some times a second, so that it is known before a backlog comes.
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

  /** How long a channel whose last delivery is paid there waits before it asks again. */
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
    boolean isQuiet = isQuiet(passed, now);
    Meanwhile meanwhile =
        isQuiet
            ? Meanwhile.NOTHING
            : core.isLeast((long) usedPerSecond) ? Meanwhile.THE_LEAST : Meanwhile.MORE;
    Verdict verdict = waits.judge(seen, meanwhile);
    if (isQuiet && verdict != Verdict.NO_WRITES) {
      core.rest(now);
    } else {
      core.adapt(verdict, (long) usedPerSecond, passed / LOOK_NANOS, now);
      // What was used before the rate was lowered says nothing of what will be.
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

  private boolean isQuiet(long passed, long now) {
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

  /** What is known now. */
  public synchronized Figures figures() {
    double rate =
        core.perSecond() == RationCore.UNLIMITED || !config.isPaced()
            ? Double.POSITIVE_INFINITY
            : (double) core.perSecond();
    return new Figures(bytes, waiting.get(), rate, meanNanos, waits.normalNanos());
  }
}
