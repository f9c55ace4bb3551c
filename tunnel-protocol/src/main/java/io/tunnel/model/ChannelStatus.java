package io.tunnel.model;

/** The state of a channel as the server sees it. */
public enum ChannelStatus {
  /** No session holds the channel. */
  WAIT,
  /** A session holds the channel and receives its changes. */
  OPEN,
  /** The session was asked to give the channel back, and finishes its running callbacks. */
  CLOSING,
  /** The session gave the channel back; the next session gets it at once. */
  CLOSE,
  /** The channel has ended, and all its changes are consumed. */
  TERMINATED
}
