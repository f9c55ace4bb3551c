package io.tunnel.flink.perf;

/**
 * A change, as far as rates are concerned. A POJO of Flink's, and one object for all of a reader.
 */
public final class Seen {

  /** Whose change it is. */
  public int partition;

  /** When it was committed, in microseconds since 1970. */
  public long commitMicros;

  /** How large it is. */
  public int bytes;

  /** For Flink. */
  public Seen() {}
}
