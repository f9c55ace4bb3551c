package io.tunnel.model;

/** The state of a channel as the server sees it. */
public enum ChannelStatus {
  /** No session holds it. */
  WAIT,
  /** A session holds it and is sent its changes. */
  OPEN,
  /** It is being taken from its session: the session finishes what it has begun. */
  CLOSING,
  /** Its session gave it back; it is handed on at once. */
  CLOSE,
  /** Everything in it was consumed and nothing more will come. */
  TERMINATED
}
