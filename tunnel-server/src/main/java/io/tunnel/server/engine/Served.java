package io.tunnel.server.engine;

import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.net.Attachments;
import io.tunnel.server.net.NetServer;
import io.tunnel.server.net.Readings;
import io.tunnel.server.partition.PartitionHosts;
import io.tunnel.server.partition.RowMoments;
import io.tunnel.server.partition.RowReads;
import io.tunnel.server.partition.Tables;
import java.util.Set;

/** The rooms that face clients, joined over the ports of an engine. */
public final class Served {

  private final Attachments attachments;
  private final Readings readings;
  private final RowMoments moments;
  private final NetServer.Rooms rooms;
  private final NetServer.Threads threads;

  /**
   * Joins them.
   *
   * @param deliveryBytesMax bytes of batches in one delivery, if a single batch is not larger
   */
  public Served(Ports ports, int deliveryBytesMax) {
    Catalog catalog = ports.catalog();
    Ports.Threads own = ports.threads();
    PartitionHosts hosts = ports.partitions().hosts();
    ChangeReader changes = ports.partitions().changes();
    Channels channels = new Channels(changes, ports.partitions().bases(), deliveryBytesMax);
    moments = new RowMoments(catalog, hosts, changes, own.moments(), own.clock());
    attachments = attachments(ports, channels);
    Ports.Delivered ofReaders = ports.partitions().ofReaders();
    readings =
        new Readings(
            hosts,
            new Readings.Positions(changes, ofReaders.incarnations()),
            channels,
            moments,
            ofReaders.freshness(),
            ports.naming().handles());
    NetServer.Delivery delivery =
        new NetServer.Delivery(attachments, readings, ports.tunnels().finder());
    catalog.listen(new DroppedDeliveries(delivery));
    rooms =
        new NetServer.Rooms(
            catalog,
            new NetServer.Rows(hosts, new RowReads(catalog, hosts, own.gets(), own.scans())),
            new NetServer.TableRooms(new Tables(hosts, changes, ports.view()), ports.logs()),
            new NetServer.Tunnels(
                ports.tunnels().hosts(),
                ports.tunnels().figures().withRows(ports.tunnels().rows())),
            ports.view(),
            delivery);
    threads = new NetServer.Threads(own.control(), own.descriptions(), own.clock()::epochMicros);
  }

  private static Attachments attachments(Ports ports, Channels channels) {
    Ports.Delivered ofSessions = ports.partitions().ofSessions();
    return new Attachments(
        ports.view(),
        ports.partitions().hosts(),
        new Attachments.Delivered(
            channels,
            new Readings.Positions(ports.partitions().changes(), ofSessions.incarnations()),
            ofSessions.freshness()),
        ports.naming().handles(),
        ports.naming().grants());
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
    return attachments.count();
  }

  /** Partitions that are delivered here to readers without a tunnel. */
  public int readingCount() {
    return readings.count();
  }

  /** Partitions that are delivered here to anybody. */
  public Set<Integer> partitions() {
    Set<Integer> partitions = attachments.partitions();
    partitions.addAll(readings.partitions());
    return partitions;
  }

  /** Tells those to whom a partition is delivered that it is served here no longer. */
  public void lost(int partition, RefusedException reason) {
    attachments.lost(partition);
    readings.lost(partition, reason);
  }

  /** Looks at the clock for all rooms; on the control thread. */
  public void tick() {
    moments.tick();
  }
}
