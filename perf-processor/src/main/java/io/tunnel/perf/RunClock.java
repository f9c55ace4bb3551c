package io.tunnel.perf;

/** The time and the resources of a run. Tests supply both. */
interface RunClock {

  /** Nanoseconds from a fixed but arbitrary point; never goes back. */
  long nanos();

  /** Milliseconds since 1970. */
  long epochMs();

  /** CPU time of this process so far, in nanoseconds. */
  long cpuNanos();

  /** Bytes of the heap in use, garbage included. */
  long heapUsedBytes();

  /** Waits {@code ms} milliseconds; returns at once and true when the run was asked to stop. */
  boolean pause(long ms) throws InterruptedException;
}
