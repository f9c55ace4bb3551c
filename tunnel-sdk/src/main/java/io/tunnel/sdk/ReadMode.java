package io.tunnel.sdk;

/**
 * Which acknowledged writes a read of rows is sure to see. On a single server, both modes see all
 * of them.
 */
public enum ReadMode {

  /**
   * Reads from the leader without a check. A leader that is cut off and was replaced keeps
   * answering for a bounded time: at most half of its {@code --session-ms} by default. Only then
   * may acknowledged writes be missing, including writes of this client.
   */
  BOUNDED,

  /**
   * Sees every write that was acknowledged before the read began. The leader first confirms its
   * leadership with the log, which costs a round trip.
   */
  STRICT
}
