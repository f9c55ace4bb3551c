package io.tunnel.sdk.tunnel;

import java.util.List;
import java.util.Objects;

/**
 * Asks to deliver nothing of a tunnel, or of some of its channels, until it is resumed.
 *
 * @param tableName its table
 * @param tunnelName its name
 * @param channelIds the channels; none for the tunnel as a whole
 */
public record PauseTunnelRequest(String tableName, String tunnelName, List<String> channelIds) {

  /** Refuses null and copies the list. */
  public PauseTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    channelIds = List.copyOf(channelIds);
  }

  /** The tunnel as a whole. */
  public PauseTunnelRequest(String tableName, String tunnelName) {
    this(tableName, tunnelName, List.of());
  }
}
