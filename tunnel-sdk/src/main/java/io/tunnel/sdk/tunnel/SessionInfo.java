package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * An open session of a tunnel.
 *
 * @param clientId the id of the session
 * @param clientTag the tag of its worker
 * @param channels how many channels the session holds
 * @param channelsMax how many channels it takes at most; 0 for no limit
 * @param leaseLeftMs milliseconds until the session ends without a further heartbeat
 */
public record SessionInfo(
    String clientId, String clientTag, int channels, int channelsMax, long leaseLeftMs) {

  /** Refuses null. */
  public SessionInfo {
    Objects.requireNonNull(clientId, "clientId");
    Objects.requireNonNull(clientTag, "clientTag");
  }
}
