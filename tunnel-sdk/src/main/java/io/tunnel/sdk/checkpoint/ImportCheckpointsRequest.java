package io.tunnel.sdk.checkpoint;

import java.util.Objects;

/**
 * Asks to give a tunnel the exported progress of itself or of another tunnel of its table.
 *
 * @param tableName the table of the tunnel
 * @param tunnelName the name of the tunnel
 * @param checkpoints the progress that an {@link ExportCheckpointsResponse} brought
 * @param isDryRun whether to answer only which channels would move
 */
public record ImportCheckpointsRequest(
    String tableName, String tunnelName, CheckpointSet checkpoints, boolean isDryRun) {

  /** Refuses null. */
  public ImportCheckpointsRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    Objects.requireNonNull(checkpoints, "checkpoints");
  }

  /** Asks to move the channels: no dry run. */
  public ImportCheckpointsRequest(String tableName, String tunnelName, CheckpointSet checkpoints) {
    this(tableName, tunnelName, checkpoints, false);
  }
}
