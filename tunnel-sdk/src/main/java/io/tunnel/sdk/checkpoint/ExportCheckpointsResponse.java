package io.tunnel.sdk.checkpoint;

import java.util.Objects;

/**
 * The progress of a tunnel, to be kept and brought back.
 *
 * @param checkpoints all channels at one moment
 */
public record ExportCheckpointsResponse(CheckpointSet checkpoints) {

  /** Refuses null. */
  public ExportCheckpointsResponse {
    Objects.requireNonNull(checkpoints, "checkpoints");
  }
}
