package io.tunnel.sdk.worker.channel;

/** Why a channel ends; a later one in this order takes the place of an earlier one. */
public enum Ending {
  /** It does not. */
  NONE,
  /** The worker is being shut down. */
  SHUTDOWN,
  /** The server wants it back. */
  REVOKED,
  /** Everything there is was processed. */
  ENDED,
  /** The processor, or what was delivered, failed for good: it waits for an operator. */
  STOPPED,
  /** Somebody else holds it already. */
  FENCED,
  /** The session is gone, and with it all its channels. */
  LOST;

  /** Whether the server still takes our word about the channel. */
  public boolean isOurs() {
    return compareTo(FENCED) < 0;
  }

  /**
   * Whether the server is told about this channel by itself. At a shutdown the session is closed
   * instead, with all its channels: one given back before could be assigned to the same session
   * again.
   */
  public boolean isAnnounced() {
    return this == REVOKED || this == ENDED || this == STOPPED;
  }
}
