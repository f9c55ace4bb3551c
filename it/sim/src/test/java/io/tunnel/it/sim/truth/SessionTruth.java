package io.tunnel.it.sim.truth;

/** A session: how long its lease is, and when its worker was heard last. */
final class SessionTruth {

  final long leaseNanos;
  long lastSignNanos;

  SessionTruth(long leaseNanos, long lastSignNanos) {
    this.leaseNanos = leaseNanos;
    this.lastSignNanos = lastSignNanos;
  }
}
