package io.tunnel.server.channel.ration;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** How long writes wait, from when they are given to their partition until they are answered. */
public final class WriteWaits {

  private final LongSupplier nanos;
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder written = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();

  WriteWaits(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** A write begins to wait; returns when. Any thread. */
  public long begin() {
    begun.increment();
    return nanos.getAsLong();
  }

  /** A write that began then is committed. Any thread. */
  public void written(long beganNanos) {
    waitNanos.add(Math.max(0, nanos.getAsLong() - beganNanos));
    written.increment();
    ended.increment();
  }

  /** A write is refused. Any thread. */
  public void refused() {
    ended.increment();
  }

  long writtenCount() {
    return written.sum();
  }

  long waitNanos() {
    return waitNanos.sum();
  }

  /** Writes without an answer, as far as that can be known while they come and go. */
  long openCount() {
    long answered = ended.sum();
    return Math.max(0, begun.sum() - answered);
  }
}
