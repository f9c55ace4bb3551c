package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * Asks to end a session of a tunnel: other sessions get its channels at once, and its worker, if
 * alive, opens a new session.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 * @param clientId the id of the session, from {@link SessionInfo}
 */
public record EndSessionRequest(String tableName, String tunnelName, String clientId) {

  /** Refuses null. */
  public EndSessionRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    Objects.requireNonNull(clientId, "clientId");
  }
}
