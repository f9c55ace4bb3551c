package io.tunnel.sdk.checkpoint;

import java.util.List;
import java.util.Objects;

/**
 * The progress of all channels of a tunnel at one moment, or of some of them. It may be kept as
 * long as wanted, and be brought back to the tunnel, or to another of its table.
 *
 * @param tableId the table that the positions belong to; never used again for another, so that the
 *     service refuses them for one that was created anew under the same name
 * @param table its name
 * @param tunnel the name of the tunnel that they were exported from
 * @param channels at most one of each type for a partition
 */
public record CheckpointSet(
    int tableId, String table, String tunnel, List<ChannelPosition> channels) {

  /** Refuses null and copies the list. */
  public CheckpointSet {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(tunnel, "tunnel");
    channels = List.copyOf(Objects.requireNonNull(channels, "channels"));
  }
}
