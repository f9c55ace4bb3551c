package io.tunnel.programs.bench.peer;

/** How closely a reader looks at each row. */
public enum Look {
  /** Not at all: rows are counted by the batch that the client hands over. */
  COUNT,
  /** A hash of the key and the integer attribute. */
  TOUCH,
  /** Every column of the key and every attribute, as Java values. */
  DECODE,
  /** The key's sequence, for latencies. */
  SEQUENCE
}
