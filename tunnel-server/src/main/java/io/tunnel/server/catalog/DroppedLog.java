package io.tunnel.server.catalog;

import io.tunnel.model.value.Bytes;
import java.util.Objects;

/**
 * The log of a dropped table, which may still exist.
 *
 * @param tableId id of the dropped table
 * @param origin origin of the log
 */
public record DroppedLog(int tableId, Bytes origin) {

  /** Refuses null. */
  public DroppedLog {
    Objects.requireNonNull(origin, "origin");
  }

  /** The shared log of {@code table}, which is dropped. */
  public static DroppedLog of(TableRecord table) {
    return new DroppedLog(table.tableId(), table.origin().orElseThrow());
  }
}
