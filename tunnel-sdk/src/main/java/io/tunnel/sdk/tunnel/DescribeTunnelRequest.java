package io.tunnel.sdk.tunnel;

import java.util.Objects;

/**
 * Asks how a tunnel is.
 *
 * @param tableName its table
 * @param tunnelName its name
 */
public record DescribeTunnelRequest(String tableName, String tunnelName) {

  /** Refuses null. */
  public DescribeTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
  }
}
