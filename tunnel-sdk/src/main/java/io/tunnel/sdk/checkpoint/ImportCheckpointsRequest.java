package io.tunnel.sdk.checkpoint;

import io.tunnel.sdk.TunnelClient;
import java.util.Objects;

/**
 * Asks to give a tunnel progress that was exported, from itself or another tunnel of its table.
 *
 * @param tableName its table
 * @param tunnelName its name
 * @param checkpoints what {@link TunnelClient#exportCheckpoints} gave
 * @param isDryRun whether to say only what would happen
 */
public record ImportCheckpointsRequest(
    String tableName, String tunnelName, CheckpointSet checkpoints, boolean isDryRun) {

  /** Refuses null. */
  public ImportCheckpointsRequest {
    Objects.requireNonNull(tableName, "tableName");
    Objects.requireNonNull(tunnelName, "tunnelName");
    Objects.requireNonNull(checkpoints, "checkpoints");
  }

  /** To be done, not only said. */
  public ImportCheckpointsRequest(String tableName, String tunnelName, CheckpointSet checkpoints) {
    this(tableName, tunnelName, checkpoints, false);
  }
}
