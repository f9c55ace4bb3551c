package io.tunnel.sdk.testing;

/** Rules that {@link InMemoryTunnelService} checks beyond the refusals of the server. */
public enum Rule {
  /** The unused credit of a channel stays within the worker's limit. */
  CREDIT,
  /** Checkpoints go neither back nor beyond the delivered changes. */
  CHECKPOINT,
  /**
   * A client names a channel only under an epoch that its connection got and did not give back. A
   * request that crosses the news of a taken channel is a race, and allowed.
   */
  EPOCH,
  /** Batches are intact, and their rows fit the table. */
  BATCH,
  /** A worker gives a channel back before the deadline. */
  REVOCATION,
  /** Frames and payloads are valid in the protocol. */
  PROTOCOL
}
