package io.tunnel.flink.perf;

import java.io.Serializable;

/** The time, and the resources that the calling process has used. Tests supply both. */
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
