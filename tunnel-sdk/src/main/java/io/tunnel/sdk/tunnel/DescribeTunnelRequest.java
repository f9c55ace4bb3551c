package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * Asks for the state of a tunnel.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 */
public record DescribeTunnelRequest(String tableName, String tunnelName) {

  /** Refuses null. */
  public DescribeTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
  }
}
