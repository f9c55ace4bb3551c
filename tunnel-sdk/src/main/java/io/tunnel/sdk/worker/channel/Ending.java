package io.tunnel.sdk.worker.channel;

/** Reasons to end a channel, in rising order: a later reason replaces an earlier one. */
public enum Ending {
  /** The channel goes on. */
  NONE,
  /** The worker shuts down. */
  SHUTDOWN,
  /** The server asks for the channel. */
  REVOKED,
  /** All changes of the channel are processed. */
  ENDED,
  /** The processor or the delivery failed for good: the channel waits for an operator. */
  STOPPED,
  /** The server has moved the channel, or given it to another holder. */
  FENCED,
  /** The session is lost, with all its channels. */
  LOST;

  /** The last callback to a processor before its shutdown. */
  public enum Farewell {
    /** The channel ends here in good order: processed changes count. */
    CLOSING,
    /** All changes of the channel are processed. */
    ENDED,
    /** The worker has lost the channel. */
    REVOKED
  }

  /** True while the server accepts requests of the worker for the channel. */
  public boolean isOurs() {
    return compareTo(FENCED) < 0;
  }

  /**
   * True when the worker gives this channel back with a request. At a shutdown the worker closes
   * the session instead: the server could assign a channel given back earlier to the same session
   * again.
   */
  public boolean isAnnounced() {
    return this == REVOKED || this == ENDED || this == STOPPED;
  }

  Farewell farewell() {
    if (!isOurs()) {
      return Farewell.REVOKED;
    }
    return this == ENDED ? Farewell.ENDED : Farewell.CLOSING;
  }
}
