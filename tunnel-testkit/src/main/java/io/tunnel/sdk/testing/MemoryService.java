package io.tunnel.sdk.testing;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.testing.table.BaseSource;
import io.tunnel.sdk.testing.table.MemoryPartition;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.testing.table.StreamSource;
import io.tunnel.sdk.testing.table.VirtualTime;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** All tables, tunnels and sessions of the service. For one thread. */
final class MemoryService {

  private final VirtualTime time = new VirtualTime();
  private final Violations violations = new Violations();
  private final Holds holds = new Holds(violations);
  private final MemoryReadings readings = new MemoryReadings(time);
  private final NavigableMap<String, MemoryTable> tables = new TreeMap<>();
  private final Map<String, MemoryTunnel> tunnels = new LinkedHashMap<>();
  private final MemoryRowSessions rowSessions = new MemoryRowSessions(time, tables.values());
  private int lastTable;
  private int lastPartition;
  private int lastTunnel;
  private long lastSession;
  private boolean isHoldingBack;

  VirtualTime time() {
    return time;
  }

  Violations violations() {
    return violations;
  }

  MemoryRowSessions rowSessions() {
    return rowSessions;
  }

  Holds holds() {
    return holds;
  }

  MemoryReadings readings() {
    return readings;
  }

  List<MemoryTable> tables() {
    return List.copyOf(tables.values());
  }

  MemoryTable table(String name) {
    MemoryTable table = tables.get(name);
    if (table == null) {
      throw new RefusedException(
          ErrorCode.TABLE_NOT_FOUND,
          "no table is named '" + name + "'; there are " + tables.keySet());
    }
    return table;
  }

  MemoryTable table(int tableId) {
    return tables.values().stream()
        .filter(table -> table.tableId() == tableId)
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TABLE_NOT_FOUND, "no table has the id " + tableId + " any more"));
  }

  MemoryTable createTable(CreateTable request) {
    if (tables.containsKey(request.meta().name())) {
      throw new RefusedException(
          ErrorCode.TABLE_EXISTS, "there is a table '" + request.meta().name() + "' already");
    }
    MemoryTable table =
        new MemoryTable(
            lastTable + 1, request.meta(), request.splitPoints(), lastPartition + 1, time.ms());
    lastTable++;
    lastPartition += table.partitions().size();
    tables.put(table.name(), table);
    return table;
  }

  void dropTable(MemoryTable table) {
    tunnels(Optional.of(table)).forEach(this::deleteTunnel);
    tables.remove(table.name());
    readings.dropped(table);
  }

  /** The tunnels of a table, or of all, by table and name. */
  List<MemoryTunnel> tunnels(Optional<MemoryTable> table) {
    return tunnels.values().stream()
        .filter(tunnel -> table.isEmpty() || tunnel.table() == table.get())
        .sorted(
            Comparator.comparing((MemoryTunnel tunnel) -> tunnel.info().table())
                .thenComparing(tunnel -> tunnel.info().tunnel()))
        .toList();
  }

  MemoryTunnel tunnel(String table, String name) {
    return tunnels(Optional.of(table(table))).stream()
        .filter(tunnel -> tunnel.info().tunnel().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.TUNNEL_NOT_FOUND,
                    "table '" + table + "' has no tunnel named '" + name + "'"));
  }

  /** The tunnel of a channel. */
  MemoryTunnel tunnelOf(String channelId) {
    return tunnels.values().stream()
        .filter(tunnel -> tunnel.channels().stream().anyMatch(own -> own.id().equals(channelId)))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no tunnel has a channel " + channelId));
  }

  MemoryTunnel createTunnel(CreateTunnel request) {
    MemoryTable table = table(request.table());
    if (tunnels(Optional.of(table)).stream()
        .anyMatch(other -> other.info().tunnel().equals(request.tunnel()))) {
      throw new RefusedException(
          ErrorCode.TUNNEL_EXISTS,
          "table '" + request.table() + "' has a tunnel '" + request.tunnel() + "' already");
    }
    requireTimes(request);
    TunnelInfo info =
        new TunnelInfo(
            "t" + holds.starts() + "-" + ++lastTunnel,
            request.tunnel(),
            request.table(),
            request.type(),
            request.start(),
            time.ms(),
            request.startMs(),
            request.endMs());
    List<MemoryChannel> channels = new ArrayList<>();
    for (MemoryPartition partition : table.partitions()) {
      for (ChannelKey key : ChannelKey.of(info.type(), partition.id())) {
        channels.add(channel(key, info, table, partition));
      }
    }
    MemoryTunnel tunnel = new MemoryTunnel(info, table, channels, holds, time, violations);
    tunnels.put(info.tunnelId(), tunnel);
    return tunnel;
  }

  private void requireTimes(CreateTunnel request) {
    if (request.startMs().isPresent() && request.startMs().get() > time.ms()) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "a stream starts in the past, at " + time.ms() + " at most: " + request.startMs().get());
    }
    boolean startsNow = request.startMs().isEmpty() && request.start() == StreamStart.LATEST;
    if (startsNow && request.endMs().isPresent() && request.endMs().get() <= time.ms()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "a stream that starts now, at "
              + time.ms()
              + ", ends later than that, not at "
              + request.endMs().get());
    }
  }

  private MemoryChannel channel(
      ChannelKey key, TunnelInfo info, MemoryTable table, MemoryPartition partition) {
    boolean isBase = key.type() == ChannelType.BaseData;
    return new MemoryChannel(
        info.tunnelId(),
        key,
        partition,
        isBase
            ? new BaseSource(partition, table.meta().primaryKey(), time.micros())
            : new StreamSource(partition, info.endMs(), time),
        ChannelState.startingAt(isBase ? 0 : start(info, partition)));
  }

  private static long start(TunnelInfo info, MemoryPartition partition) {
    if (info.startMs().isPresent()) {
      return partition.lastBefore(TimeUnit.MILLISECONDS.toMicros(info.startMs().get()));
    }
    boolean isEarliest = info.type() == TunnelType.Stream && info.start() == StreamStart.EARLIEST;
    return isEarliest ? 0 : partition.committed();
  }

  void deleteTunnel(MemoryTunnel tunnel) {
    tunnels.remove(tunnel.info().tunnelId());
    tunnel.deleted();
  }

  /** A session that is not open yet. */
  MemorySession newSession(OpenSession request, Peer peer) {
    MemoryTunnel tunnel = tunnels.get(request.tunnelId());
    if (tunnel == null) {
      throw new RefusedException(
          ErrorCode.TUNNEL_NOT_FOUND, "no tunnel has the id '" + request.tunnelId() + "'");
    }
    String id = holds.starts() + "-" + ++lastSession;
    return new MemorySession(id, tunnel, request, peer);
  }

  List<MemorySession> sessions() {
    return tunnels.values().stream().flatMap(tunnel -> tunnel.sessions().stream()).toList();
  }

  /** An open session of the connection. */
  MemorySession session(String id, Peer peer) {
    return sessions().stream()
        .filter(session -> session.id().equals(id) && session.peer() == peer)
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.SESSION_ENDED, "session " + id + " is over; open another"));
  }

  void disconnected(Peer peer) {
    readings.disconnected(peer);
    tunnels.values().forEach(tunnel -> tunnel.disconnected(peer));
  }

  /** Ends leases, deadlines and rows whose time has passed. */
  void tick() {
    rowSessions.tick();
    tables.values().forEach(table -> table.expire(time));
    tunnels.values().forEach(MemoryTunnel::tick);
  }

  /**
   * Acts as if another node led a partition from now on: its deliveries end, and clients have to
   * attach again.
   */
  void changeLeader(MemoryPartition partition) {
    RefusedException reason =
        new RefusedException(
            ErrorCode.NOT_LEADER, "another node leads partition " + partition.id() + " now");
    readings.lost(List.of(partition.id()), reason);
    tunnels.values().stream()
        .flatMap(tunnel -> tunnel.channels().stream())
        .filter(channel -> channel.partition() == partition)
        .flatMap(channel -> channel.hold().stream())
        .forEach(hold -> hold.refuse(reason));
  }

  void holdBack(boolean holds) {
    isHoldingBack = holds;
  }

  /** Delivers to all channels and readings that have changes and credit. */
  void pump() {
    tunnels.values().forEach(MemoryTunnel::settle);
    if (isHoldingBack) {
      return;
    }
    readings.pump();
    tunnels.values().forEach(MemoryTunnel::pump);
  }

  /** Crashes and restarts the server's process, or its machine. */
  void crash(boolean losesUnsynced) {
    holds.restarted();
    readings.restarted();
    rowSessions.restarted();
    for (MemoryTable table : tables.values()) {
      for (MemoryPartition partition : table.partitions()) {
        if (losesUnsynced) {
          partition.loseUnsynced();
        }
        partition.begun(readings.incarnation());
      }
    }
    tunnels.values().forEach(MemoryTunnel::crashed);
  }
}
