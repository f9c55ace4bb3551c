package io.tunnel.server.engine;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.ration.RationConfig;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.partition.read.RowMoments;
import io.tunnel.server.partition.read.RowReads;
import java.util.Set;

/** The rooms that face clients, joined over the ports of an engine. */
public final class Served {

  private final NetServer.Delivery delivery;
  private final RowMoments moments;
  private final Rations rations;
  private final NetServer.Rooms rooms;
  private final NetServer.Threads threads;

  /**
   * Joins them.
   *
   * @param deliveryBytesMax bytes of batches in one delivery, if a single batch is not larger
   * @param catchUp how channels that are far behind are slowed down
   */
  public Served(Ports ports, int deliveryBytesMax, RationConfig catchUp) {
    Catalog catalog = ports.catalog();
    Ports.Threads own = ports.threads();
    Ports.Partitions partitions = ports.partitions();
    PartitionHosts hosts = partitions.hosts();
    ChangeReader changes = partitions.changes();
    rations = new Rations(catchUp, own.clock()::nanos);
    Channels channels = new Channels(changes, new Channels.Pacing(deliveryBytesMax, rations));
    moments = new RowMoments(catalog, hosts, changes, own.moments(), own.clock());
    delivery =
        new NetServer.Delivery(
            Attachments.ofTunnels(
                delivered(ports, channels, partitions.ofSessions()),
                partitions.bases(),
                ports.view().isAlone()),
            Attachments.ofReaders(delivered(ports, channels, partitions.ofReaders()), moments),
            ports.naming().handles(),
            ports.tunnels().finder());
    catalog.listen(this::dropped);
    rooms =
        new NetServer.Rooms(
            catalog,
            new NetServer.Rows(
                hosts, new RowReads(catalog, hosts, own.gets(), own.scans()), rations.writes()),
            new NetServer.TableRooms(new Tables(hosts, changes, ports.view()), ports.logs()),
            new NetServer.Tunnels(
                ports.tunnels().hosts(), ports.tunnels().figures(), ports.tunnels().rows()),
            ports.view(),
            delivery);
    threads = new NetServer.Threads(own.control(), own.descriptions(), own.clock()::epochMicros);
  }

  private void dropped(TableRecord table) {
    for (PartitionRecord partition : table.partitions()) {
      delivery.lost(
          partition.id(),
          new RefusedException(
              ErrorCode.TABLE_NOT_FOUND, "table " + table.meta().name() + " was dropped"));
    }
  }

  private static Attachments.Delivered delivered(
      Ports ports, Channels channels, Ports.Delivered how) {
    return new Attachments.Delivered(
        ports.partitions().hosts(),
        ports.partitions().changes(),
        channels,
        how.incarnations(),
        how.freshness(),
        ports.naming().grants(),
        ports.threads().clock());
  }

  /** What requests are answered by. */
  public NetServer.Rooms rooms() {
    return rooms;
  }

  /** Where they are answered that event loops must not wait for. */
  public NetServer.Threads threads() {
    return threads;
  }

  /** Channels that are delivered here. */
  public int attachmentCount() {
    return delivery.attachments().count();
  }

  /** Partitions that are delivered here to readers without a tunnel. */
  public int readingCount() {
    return delivery.readings().count();
  }

  /** Partitions that are delivered here to anybody. */
  public Set<Integer> partitions() {
    Set<Integer> partitions = delivery.attachments().partitions();
    partitions.addAll(delivery.readings().partitions());
    return partitions;
  }

  /** How those who are far behind are slowed down now. */
  public Rations.Figures catchUp() {
    return rations.figures();
  }

  /** Tells those to whom a partition is delivered that it is served here no longer. */
  public void lost(int partition, RefusedException reason) {
    delivery.lost(partition, reason);
  }

  /** Looks at the clock for all rooms; on the control thread. */
  public void tick() {
    delivery.attachments().tick();
    moments.tick();
    rations.tick();
  }
}
