package io.tunnel.sdk.checkpoint;

import java.util.Objects;

/**
 * Asks to give one tunnel of a table the progress of another.
 *
 * @param tableName the table of both
 * @param fromTunnelName whose progress is copied; it stays as it is
 * @param toTunnelName whose progress is replaced
 * @param isDryRun whether to say only what would happen
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

  /** To be done, not only said. */
  public CloneCheckpointsRequest(String tableName, String fromTunnelName, String toTunnelName) {
    this(tableName, fromTunnelName, toTunnelName, false);
  }
}
