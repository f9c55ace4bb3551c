package io.tunnel.server.disk;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long the present write or sync of a disk takes. The thread that writes reports begin and end,
 * and may hang in between; any thread may look without waiting.
 */
public final class DiskWatch {

  /** A disk that needs longer for one write is stalled. */
  public static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long IDLE = Long.MIN_VALUE;

  private final LongSupplier nanos;

  /** When the present write began; {@link #IDLE} while none is under way. */
  private volatile long beganNanos = IDLE;

  /** Of a disk on which nothing is written yet. */
  public DiskWatch(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** A write begins. */
  public void began() {
    beganNanos = nanos.getAsLong();
  }

  /** The write has ended, well or not. */
  public void ended() {
    beganNanos = IDLE;
  }

  /** Whether the present write takes longer than {@link #STALLED_NANOS}. */
  public boolean isStalled() {
    long began = beganNanos;
    return began != IDLE && nanos.getAsLong() - began > STALLED_NANOS;
  }
}
