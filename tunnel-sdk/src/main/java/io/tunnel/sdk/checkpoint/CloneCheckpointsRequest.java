package io.tunnel.sdk.checkpoint;

import java.util.Objects;

/**
 * Asks to copy the progress of one tunnel to another tunnel of its table.
 *
 * @param tableName the table of both tunnels
 * @param fromTunnelName the tunnel to copy from, which stays as it is
 * @param toTunnelName the tunnel whose progress is replaced
 * @param isDryRun whether to answer only which channels would move
 */
public record CloneCheckpointsRequest(
    String tableName, String fromTunnelName, String toTunnelName, boolean isDryRun) {

  /** Refuses null, and one tunnel twice. */
  public CloneCheckpointsRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(fromTunnelName, "fromTunnelName");
    Objects.requireNonNull(toTunnelName, "toTunnelName");
    if (fromTunnelName.equals(toTunnelName)) {
      throw new IllegalArgumentException(
          "the progress of tunnel '" + fromTunnelName + "' would be cloned onto itself");
    }
  }

  /** Asks to move the channels: no dry run. */
  public CloneCheckpointsRequest(String tableName, String fromTunnelName, String toTunnelName) {
    this(tableName, fromTunnelName, toTunnelName, false);
  }
}
