package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * The log of a dropped table, which may still exist.
 *
 * @param tableId id of the dropped table
 * @param origin origin of the log; absent when the table's record had none
 */
public record DroppedLog(int tableId, Optional<Bytes> origin) {

  /** Reads a missing origin as absent. */
  public DroppedLog {
    origin = origin == null ? Optional.empty() : origin;
  }

  /** The log of {@code table}, which is dropped. */
  public static DroppedLog of(TableRecord table) {
    return new DroppedLog(table.tableId(), table.origin());
  }
}
