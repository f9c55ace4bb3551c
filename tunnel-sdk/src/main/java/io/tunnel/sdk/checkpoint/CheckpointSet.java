package io.tunnel.sdk.checkpoint;

import java.util.List;
import java.util.Objects;

/**
 * The progress of all or some channels of a tunnel at one moment. Programs may keep it for any
 * time, and import it into the tunnel or another tunnel of its table.
 *
 * @param tableId the id of the positions' table; ids are never reused, so that the service refuses
 *     the positions for a new table with the old name
 * @param table the name of the table
 * @param tunnel the name of the exported tunnel
 * @param channels the positions, at most one per partition and type
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
