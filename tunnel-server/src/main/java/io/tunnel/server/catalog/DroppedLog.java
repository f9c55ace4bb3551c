package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * The log that a dropped table has left.
 *
 * @param tableId of the table
 * @param origin of the log, if the table had noted it
 */
public record DroppedLog(int tableId, Optional<Bytes> origin) {

  /** What is not stored is absent. */
  public DroppedLog {
    origin = origin == null ? Optional.empty() : origin;
  }

  /** The log of a table that is dropped. */
  public static DroppedLog of(TableRecord table) {
    return new DroppedLog(table.tableId(), table.origin());
  }
}
