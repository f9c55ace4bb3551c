package io.tunnel.sdk.tunnel;

import java.util.List;
import java.util.Objects;

/**
 * Asks to deliver a tunnel, or some of its channels, again; channels that were stopped by an error
 * go on too.
 *
 * @param tableName its table
 * @param tunnelName its name
 * @param channelIds the channels; none for the tunnel as a whole
 */
public record ResumeTunnelRequest(String tableName, String tunnelName, List<String> channelIds) {

  /** Refuses null and copies the list. */
  public ResumeTunnelRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    channelIds = List.copyOf(channelIds);
  }

  /** The tunnel as a whole. */
  public ResumeTunnelRequest(String tableName, String tunnelName) {
    this(tableName, tunnelName, List.of());
  }
}
