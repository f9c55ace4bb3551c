package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * Asks to delete a tunnel with its checkpoints; its sessions end.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 */
public record DeleteTunnelRequest(String tableName, String tunnelName) {

  /** Refuses null. */
  public DeleteTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
  }
}
