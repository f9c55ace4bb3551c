package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.util.concurrent.TimeUnit;

/** A worker's leased connection to a tunnel. */
final class MemorySession {

  private final String id;
  private final MemoryTunnel tunnel;
  private final OpenSession request;
  private final Peer peer;
  private long deadlineMicros;

  MemorySession(String id, MemoryTunnel tunnel, OpenSession request, Peer peer, long nowMicros) {
    this.id = id;
    this.tunnel = tunnel;
    this.request = request;
    this.peer = peer;
    renew(nowMicros);
  }

  String id() {
    return id;
  }

  MemoryTunnel tunnel() {
    return tunnel;
  }

  Peer peer() {
    return peer;
  }

  String clientTag() {
    return request.clientTag();
  }

  int channelsMax() {
    return request.maxChannels();
  }

  void renew(long nowMicros) {
    deadlineMicros = nowMicros + TimeUnit.MILLISECONDS.toMicros(request.leaseMs());
  }

  /** Ends the session as the end of its lease does. */
  void expire() {
    tunnel.end(this, ErrorCode.SESSION_ENDED, "no heartbeat came within the lease");
  }

  boolean hasExpired(long nowMicros) {
    return nowMicros >= deadlineMicros;
  }

  long leaseLeftMs(long nowMicros) {
    return TimeUnit.MICROSECONDS.toMillis(deadlineMicros - nowMicros);
  }
}
