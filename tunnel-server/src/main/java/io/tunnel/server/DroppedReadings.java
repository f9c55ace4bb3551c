package io.tunnel.server;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableListener;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.net.Readings;

/** Tells those who read tables without a tunnel that a table is dropped. */
record DroppedReadings(Readings readings) implements TableListener {

  @Override
  public void created(TableRecord table) {
    // Nobody can have read it.
  }

  @Override
  public void altered(TableRecord before, TableRecord now) {
    // Readers notice what retention takes when they come to it.
  }

  @Override
  public void dropped(TableRecord table) {
    for (PartitionRecord partition : table.partitions()) {
      readings.lost(
          partition.id(),
          new RefusedException(
              ErrorCode.TABLE_NOT_FOUND, "table " + table.meta().name() + " was dropped"));
    }
  }
}
