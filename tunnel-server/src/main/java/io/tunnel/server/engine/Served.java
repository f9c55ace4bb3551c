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
import io.tunnel.server.channel.watch.WatchLimits;
import io.tunnel.server.channel.watch.Watches;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.Tables;
import io.tunnel.server.partition.read.RowMoments;
import io.tunnel.server.partition.read.RowReads;
import java.util.Set;

/** Joins the rooms that face clients over the ports of an engine. */
public final class Served {

  private final NetServer.Delivery delivery;
  private final RowMoments moments;
  private final Rations rations;
  private final Watches watches;
  private final NetServer.Rooms rooms;
  private final NetServer.Threads threads;

  /**
   * Joins the rooms.
   *
   * @param deliveryBytesMax bytes of batches in one delivery, if a single batch is not larger
   * @param catchUp how channels that lag far are throttled
   */
  public Served(Ports ports, int deliveryBytesMax, RationConfig catchUp) {
    Catalog catalog = ports.catalog();
    Ports.Threads own = ports.threads();
    Ports.Partitions partitions = ports.partitions();
    PartitionHosts hosts = partitions.hosts();
    ChangeReader changes = partitions.changes();
    rations = new Rations(catchUp, own.clock()::nanos);
    Channels channels = new Channels(changes, new Channels.Pacing(deliveryBytesMax, rations));
    watches = new Watches(changes, own.moments(), rations, own.clock()::nanos, WatchLimits.DEFAULT);
    moments = new RowMoments(catalog, hosts, changes, own.moments(), own.clock());
    delivery =
        new NetServer.Delivery(
            Attachments.ofTunnels(
                delivered(ports, channels, watches, partitions.ofSessions()),
                partitions.bases(),
                ports.view().isAlone()),
            Attachments.ofReaders(
                delivered(ports, channels, watches, partitions.ofReaders()), moments),
            ports.naming().handles(),
            ports.tunnels().finder());
    catalog.listen(this::dropped);
    rooms =
        new NetServer.Rooms(
            catalog,
            new NetServer.Rows(
                hosts,
                new RowReads(catalog, hosts, own.gets(), own.scans()),
                rations.writes(),
                partitions.sessions()),
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
      Ports ports, Channels channels, Watches watches, Ports.Delivered how) {
    return new Attachments.Delivered(
        ports.partitions().hosts(),
        ports.partitions().changes(),
        channels,
        watches,
        how.incarnations(),
        how.freshness(),
        (granted, grant) ->
            ports.naming().grants().verified(granted, grant, ports.view().levels()::require),
        ports.threads().clock());
  }

  /** The rooms that answer requests. */
  public NetServer.Rooms rooms() {
    return rooms;
  }

  /** The threads for requests that must not block event loops. */
  public NetServer.Threads threads() {
    return threads;
  }

  /** Number of channels that are delivered here. */
  public int attachmentCount() {
    return delivery.attachments().count();
  }

  /** Number of partitions that are delivered here to readers without a tunnel. */
  public int readingCount() {
    return delivery.readings().count();
  }

  /** Partitions that are delivered here, to workers or readers. */
  public Set<Integer> partitions() {
    Set<Integer> partitions = delivery.attachments().partitions();
    partitions.addAll(delivery.readings().partitions());
    return partitions;
  }

  /** The present watches. */
  public Watches.Figures watches() {
    return watches.figures();
  }

  /** The present throttling of channels that lag far. */
  public Rations.Figures catchUp() {
    return rations.figures();
  }

  /** Tells the workers and readers of a partition that this server no longer serves it. */
  public void lost(int partition, RefusedException reason) {
    delivery.lost(partition, reason);
  }

  /** Passes time on to all rooms; on the control thread. */
  public void tick() {
    delivery.attachments().tick();
    moments.tick();
    rations.tick();
    watches.tick();
  }
}
