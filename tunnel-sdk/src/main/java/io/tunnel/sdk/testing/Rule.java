package io.tunnel.sdk.testing;

/** What an {@link InMemoryTunnelService} holds its clients to, beyond what the server refuses. */
public enum Rule {
  /** No more credit is open on a channel than a worker may give it. */
  CREDIT,
  /** Checkpoints neither go back nor beyond what was delivered. */
  CHECKPOINT,
  /**
   * Nothing is said about a channel under an epoch that the connection was never given, or that it
   * gave back itself. What crosses the news that a channel was taken is a race, and allowed.
   */
  EPOCH,
  /** Batches have rows that fit their table, and intact bytes. */
  BATCH,
  /** A channel that is asked for is given back before the deadline. */
  REVOCATION,
  /** Frames are what the protocol has, and say what their operation expects. */
  PROTOCOL
}
