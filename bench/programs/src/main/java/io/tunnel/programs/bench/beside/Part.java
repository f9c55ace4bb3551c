package io.tunnel.programs.bench.beside;

/** What can be measured side by side. */
public enum Part {
  /** Rows a second until the last one is acknowledged. */
  WRITE,
  /**
   * Rows a second until the last one can be looked up in a table, which a program keeps of Kafka's.
   */
  TABLE,
  /** Rows a second of a catch-up. */
  READ,
  /** From acknowledged, and from due, to callback, under load and idle. */
  LATENCY
}
