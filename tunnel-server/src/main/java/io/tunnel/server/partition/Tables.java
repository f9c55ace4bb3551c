package io.tunnel.server.partition;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.table.TableStore;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Describing tables. A node of a cluster has figures of the partitions that it leads; of others it
 * says who does.
 */
public final class Tables {

  /** A description counts at most so many rows of a table; partitions share this budget. */
  static final long COUNTED_ROWS_MAX = 200_000;

  private final PartitionHosts hosts;
  private final ChangeReader changes;
  private final ClusterView view;

  /** For tables whose partitions are hosted by {@code hosts}, or on other nodes. */
  public Tables(PartitionHosts hosts, ChangeReader changes, ClusterView view) {
    this.hosts = hosts;
    this.changes = changes;
    this.view = view;
  }

  /** Tables of a server that is alone. */
  public Tables(Shards shards) {
    this(shards, shards, ClusterView.none());
  }

  /** The figures of one partition. */
  private record Figures(
      TableStore.RowCount rows, long changeBytes, long firstPosition, long committed) {

    private static final Figures NONE = new Figures(new TableStore.RowCount(0, false, 0), 0, 1, 0);
  }

  /** The table's partitions and where they end, without figures. */
  public TableDescription partitionMap(TableRecord table) {
    List<PartitionDescription> partitions = new ArrayList<>();
    for (PartitionRecord partition : table.partitions()) {
      partitions.add(describe(partition, Figures.NONE, leader(partition.id())));
    }
    return describe(table, partitions);
  }

  /**
   * The table with all figures. Counts rows, {@link #COUNTED_ROWS_MAX} at most, so not for a thread
   * that must not wait; what is beyond is estimated.
   */
  public TableDescription describe(TableRecord table) {
    long countedMax = COUNTED_ROWS_MAX / table.partitions().size();
    List<PartitionDescription> partitions = new ArrayList<>();
    for (PartitionRecord partition : table.partitions()) {
      Optional<Figures> figures = figures(partition.id(), countedMax);
      partitions.add(
          figures.isPresent()
              ? describe(partition, figures.get(), own())
              : describe(partition, Figures.NONE, leader(partition.id())));
    }
    return describe(table, partitions);
  }

  /**
   * Counts a partition; empty when another node hosts the partition, or takes the partition over
   * during the count.
   */
  private Optional<Figures> figures(int partition, long countedMax) {
    return ifHere(
        partition,
        host -> {
          long first = changes.firstKeptPosition(partition);
          Figures figures =
              new Figures(
                  host.tableNow(partition).count(partition, countedMax),
                  changes.bytesAfter(partition, first - 1),
                  first,
                  changes.committed(partition));
          host.requireWhole();
          return figures;
        });
  }

  private <T> Optional<T> ifHere(int partition, Function<PartitionHost, T> read) {
    try {
      return Optional.of(read.apply(hosts.of(partition)));
    } catch (RefusedException e) {
      if (e.code() == ErrorCode.NOT_LEADER) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The address of the leader; this node names itself only when this node hosts the partition. */
  private Optional<String> leader(int partition) {
    return ifHere(partition, host -> host).isPresent()
        ? own()
        : view.leader(partition).filter(address -> !address.equals(view.address()));
  }

  private Optional<String> own() {
    return Optional.of(view.address()).filter(address -> !address.isEmpty());
  }

  private static PartitionDescription describe(
      PartitionRecord partition, Figures figures, Optional<String> leader) {
    return new PartitionDescription(
        partition.id(),
        partition.from(),
        partition.to(),
        partition.parents(),
        figures.rows().rows(),
        figures.rows().isExact(),
        figures.rows().bytes(),
        figures.changeBytes(),
        figures.firstPosition(),
        figures.committed(),
        leader);
  }

  private static TableDescription describe(
      TableRecord table, List<PartitionDescription> partitions) {
    return new TableDescription(
        table.tableId(), table.meta(), table.createdMs(), partitions, table.creator());
  }
}
