package io.tunnel.sdk.write;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.Endpoint;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes lanes for the partitions of a table; a partition that has one keeps it. */
final class RouteBuilder {

  private final Optional<Durability> durability;
  private final LaneSettings settings;

  RouteBuilder(Optional<Durability> durability, LaneSettings settings) {
    this.durability = durability;
    this.settings = settings;
  }

  /**
   * Routes by that map.
   *
   * @param known lanes to keep: partition ids are never used again, so the id says it all
   */
  Routes build(TableDescription table, List<Lane> known) {
    List<PartitionDescription> partitions = table.partitions();
    if (partitions.isEmpty()) {
      throw new IllegalStateException("table " + table.meta().name() + " has no partition");
    }
    byte[] prefix = new byte[WriteRequest.PREFIX_BYTES];
    WriteRequest.writePrefix(prefix, 0, table.tableId(), durability);
    List<Lane> lanes = new ArrayList<>();
    List<Bound> bounds = new ArrayList<>();
    for (PartitionDescription partition : partitions) {
      lanes.add(lane(partition, prefix, table.meta().primaryKey(), known));
      if (lanes.size() > 1) {
        bounds.add(Bound.of(partition.from(), table.meta().primaryKey().get(0).type()));
      }
    }
    return new Routes(lanes, bounds);
  }

  private Lane lane(
      PartitionDescription partition,
      byte[] prefix,
      List<PrimaryKeySchema> schema,
      List<Lane> known) {
    Optional<Endpoint> leader = Endpoint.told(partition.leader());
    for (Lane lane : known) {
      if (lane.partition() == partition.id()) {
        lane.ledBy(leader);
        return lane;
      }
    }
    return new Lane(partition.id(), prefix, schema, settings, leader);
  }
}
