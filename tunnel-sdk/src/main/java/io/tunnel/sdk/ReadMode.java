package io.tunnel.sdk;

/**
 * How sure a read of rows is to see what others were told. A server that is alone is always sure.
 */
public enum ReadMode {

  /**
   * As the leader of the partition has the row. A leader of a cluster that is cut off, and was
   * replaced without having noticed, answers for a bounded time: at most half of its {@code
   * --session-ms} unless its operator says otherwise. What this client wrote itself, and was told
   * is applied, may be missing only then.
   */
  BOUNDED,

  /**
   * Every change that anybody was told to be applied before the read began is seen. The leader asks
   * the log of its cluster first, which costs that way and back.
   */
  STRICT
}
