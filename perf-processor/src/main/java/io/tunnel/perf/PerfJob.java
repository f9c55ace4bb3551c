package io.tunnel.perf;

import java.util.Optional;

/** What a {@link PerfEngine} has started. Used by one thread. */
public interface PerfJob extends AutoCloseable {

  /**
   * The next window that is complete, in the order of their commit times; nothing when there is
   * none within {@code waitMs} or when it has ended.
   */
  Optional<PerfWindow> next(long waitMs) throws InterruptedException;

  /** Whether its readers have started, which may take a while. */
  boolean isReading();

  /** How long after it was read a row may be in no complete window, in milliseconds. */
  long delayMs();

  /** Whether it reads no more and {@link #next} has given all that it read. */
  boolean hasEnded();

  /** Why it ended, if nobody asked for it. */
  Optional<String> failure();

  /**
   * Asks it to end; what it has read is still given. Where that cannot be, it says why, and open
   * windows are lost.
   */
  Optional<String> stop();

  /** Ends it now. */
  @Override
  void close();
}
