package io.tunnel.flink.perf;

import java.io.Serializable;

/** The time, and what the process that asks has used; a test has ones that it makes up. */
interface JobClock extends Serializable {

  /** Microseconds since 1970. */
  long epochMicros();

  /** Nanoseconds from a fixed but arbitrary point; never goes back. */
  long nanos();

  /** CPU time of this process so far. */
  long cpuNanos();

  /** Bytes of this process' heap in use, garbage included. */
  long heapUsedBytes();

  /** Names this process among all that read. */
  String process();
}
