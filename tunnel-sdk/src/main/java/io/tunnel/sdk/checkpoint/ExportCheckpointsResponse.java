package io.tunnel.sdk.checkpoint;

import java.util.Objects;

/**
 * The exported progress of a tunnel.
 *
 * @param checkpoints the positions of all channels at one moment
 */
public record ExportCheckpointsResponse(CheckpointSet checkpoints) {

  /** Refuses null. */
  public ExportCheckpointsResponse {
    Objects.requireNonNull(checkpoints, "checkpoints");
  }
}
