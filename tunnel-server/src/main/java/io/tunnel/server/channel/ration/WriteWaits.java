package io.tunnel.server.channel.ration;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Measures the waits of writes, from their arrival at the partition to their answer. */
public final class WriteWaits {

  private final LongSupplier nanos;
  private final LongAdder begun = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder written = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();

  WriteWaits(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Notes that a write begins to wait; returns the time of this. Any thread. */
  public long begin() {
    begun.increment();
    return nanos.getAsLong();
  }

  /** Notes that the write that began at {@code beganNanos} is committed. Any thread. */
  public void written(long beganNanos) {
    waitNanos.add(Math.max(0, nanos.getAsLong() - beganNanos));
    written.increment();
    ended.increment();
  }

  /** Notes that a write is refused. Any thread. */
  public void refused() {
    ended.increment();
  }

  long writtenCount() {
    return written.sum();
  }

  long waitNanos() {
    return waitNanos.sum();
  }

  /** Number of writes without an answer; approximate while writes come and go. */
  long openCount() {
    long answered = ended.sum();
    return Math.max(0, begun.sum() - answered);
  }
}
