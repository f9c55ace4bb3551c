package io.tunnel.sdk.tunnel;

import java.util.List;
import java.util.Objects;

/**
 * Asks to pause the delivery of a tunnel, or of some of its channels, until resumed.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 * @param channelIds the channels; empty for the whole tunnel
 */
public record PauseTunnelRequest(String tableName, String tunnelName, List<String> channelIds) {

  /** Refuses null and copies the list. */
  public PauseTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    channelIds = List.copyOf(channelIds);
  }

  /** Asks to pause the whole tunnel. */
  public PauseTunnelRequest(String tableName, String tunnelName) {
    this(tableName, tunnelName, List.of());
  }
}
