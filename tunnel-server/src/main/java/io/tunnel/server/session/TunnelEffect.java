package io.tunnel.server.session;

/** What a tunnel's state machine wants done; in order. */
sealed interface TunnelEffect {

  /**
   * The session now holds the partition's channel; changes behind {@code checkpointed} are its to
   * process.
   */
  record Assign(String sessionId, int partition, long epoch, long checkpointed)
      implements TunnelEffect {}

  /** The session is asked to finish and give the channel back. */
  record Revoke(String sessionId, int partition, long epoch) implements TunnelEffect {}

  /** The session holds the channel no more. */
  record Take(String sessionId, int partition, long epoch) implements TunnelEffect {}
}
