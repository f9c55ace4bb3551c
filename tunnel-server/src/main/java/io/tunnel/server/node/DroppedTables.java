package io.tunnel.server.node;

import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableListener;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.replica.Replicas;

/** Gives up what a node has of tables that are dropped. */
record DroppedTables(Replicas replicas, KnownBounds known) implements TableListener {

  @Override
  public void created(TableRecord table) {
    // Placements say who follows and leads it.
  }

  @Override
  public void altered(TableRecord before, TableRecord now) {
    // Retention is asked for when it matters.
  }

  @Override
  public void dropped(TableRecord table) {
    for (PartitionRecord partition : table.partitions()) {
      replicas.leave(partition.id());
      known.forget(partition.id());
    }
  }
}
