package io.tunnel.sdk.worker.channel;

/** What a processor is told when its channel ends. */
public enum Farewell {
  /** No more changes will come; what was processed counts. */
  CLOSING,
  /** Everything there is was processed. */
  ENDED,
  /** The channel is somebody else's. */
  REVOKED
}
