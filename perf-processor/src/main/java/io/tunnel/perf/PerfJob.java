package io.tunnel.perf;

import java.util.Optional;

/** What a {@link PerfEngine} has started. Used by one thread. */
public interface PerfJob extends AutoCloseable {

  /**
   * The next complete window, in the order of commit times; empty when no window completes within
   * {@code waitMs} or the job has ended.
   */
  Optional<PerfWindow> next(long waitMs) throws InterruptedException;

  /** Whether its readers have started, which may take a while. */
  boolean isReading();

  /** How long after it was read a row may be in no complete window, in milliseconds. */
  long delayMs();

  /** Whether reading has ended and {@link #next} has returned every window. */
  boolean hasEnded();

  /** Why the job ended; empty when {@link #close} ended it. */
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
