package io.tunnel.sdk.worker;

/** What a processor is told when its channel ends. */
enum Farewell {
  /** No more changes will come; what was processed counts. */
  CLOSING,
  /** Everything there is was processed. */
  ENDED,
  /** The channel is somebody else's. */
  REVOKED
}
