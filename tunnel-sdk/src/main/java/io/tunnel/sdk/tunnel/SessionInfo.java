package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * An open session of a tunnel.
 *
 * @param clientId names the session
 * @param clientTag what its worker calls itself
 * @param channels how many channels it holds
 * @param channelsMax how many it takes at most; 0 for any number
 * @param leaseLeftMs how long it lives without a further heartbeat
 */
public record SessionInfo(
    String clientId, String clientTag, int channels, int channelsMax, long leaseLeftMs) {

  /** Refuses null. */
  public SessionInfo {
    Objects.requireNonNull(clientId, "clientId");
    Objects.requireNonNull(clientTag, "clientTag");
  }
}
