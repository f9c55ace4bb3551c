package io.tunnel.sdk.checkpoint;

import java.util.Objects;

/**
 * Asks for the progress of all channels of a tunnel.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 */
public record ExportCheckpointsRequest(String tableName, String tunnelName) {

  /** Refuses null. */
  public ExportCheckpointsRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
  }
}
