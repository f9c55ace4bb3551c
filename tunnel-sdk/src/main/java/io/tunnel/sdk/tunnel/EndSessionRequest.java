package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * Asks to end a session of a tunnel: its channels go to the others at once, and its worker, if it
 * lives, opens another.
 *
 * @param tableName its table
 * @param tunnelName its name
 * @param clientId names the session, as {@link SessionInfo} does
 */
public record EndSessionRequest(String tableName, String tunnelName, String clientId) {

  /** Refuses null. */
  public EndSessionRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    Objects.requireNonNull(clientId, "clientId");
  }
}
