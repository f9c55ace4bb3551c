package io.tunnel.sdk.tunnel;

import java.util.List;
import java.util.Objects;

/**
 * Asks to resume the delivery of a tunnel, or of some of its channels, including channels that an
 * error stopped.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 * @param channelIds the channels; empty for the whole tunnel
 */
public record ResumeTunnelRequest(String tableName, String tunnelName, List<String> channelIds) {

  /** Refuses null and copies the list. */
  public ResumeTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    channelIds = List.copyOf(channelIds);
  }

  /** Asks to resume the whole tunnel. */
  public ResumeTunnelRequest(String tableName, String tunnelName) {
    this(tableName, tunnelName, List.of());
  }
}
