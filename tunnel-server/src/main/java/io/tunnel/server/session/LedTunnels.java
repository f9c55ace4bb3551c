package io.tunnel.server.session;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.cluster.Unit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentSkipListMap;

/** The groups of tunnels that a node of a cluster leads, each on a host of its own. */
public final class LedTunnels implements TunnelHosts {

  private final Catalog tables;
  private final ClusterView view;
  private final Map<Integer, TunnelHost> hostByGroup = new ConcurrentSkipListMap<>();

  /** Without a group. */
  public LedTunnels(Catalog tables, ClusterView view) {
    this.tables = tables;
    this.view = view;
  }

  /** The node begins to coordinate a group of tunnels. */
  public void lead(int group, TunnelHost host) {
    if (hostByGroup.putIfAbsent(group, host) != null) {
      throw new IllegalStateException("group " + group + " of tunnels is led already");
    }
  }

  /**
   * The node stops coordinating a group: its sessions end on the host's thread, which runs {@code
   * then} afterwards. Does nothing when the node does not lead the group.
   */
  public void resign(int group, Runnable then) {
    TunnelHost host = hostByGroup.remove(group);
    if (host == null) {
      return;
    }
    host.control()
        .execute(
            () -> {
              host.coordinator().resign("another node coordinates this tunnel from now on");
              then.run();
            });
  }

  @Override
  public TunnelHost ofTable(String table) {
    return ofGroup(Unit.groupOf(Unit.ofTunnels(tables.table(table).tableId())));
  }

  @Override
  public TunnelHost ofTunnel(String tunnelId) {
    OptionalInt group = TunnelCatalog.groupOf(tunnelId);
    if (group.isEmpty() || group.getAsInt() >= Unit.TUNNEL_GROUPS) {
      throw new RefusedException(
          ErrorCode.TUNNEL_NOT_FOUND, "no cluster has a tunnel with id '" + tunnelId + "'");
    }
    return ofGroup(group.getAsInt());
  }

  private TunnelHost ofGroup(int group) {
    TunnelHost host = hostByGroup.get(group);
    if (host == null) {
      throw view.notLeader(Unit.ofGroup(group), "group " + group + " of tunnels");
    }
    return host;
  }

  @Override
  public TunnelHost ofSession(String sessionId) {
    return hostByGroup.values().stream()
        .filter(host -> host.coordinator().hasSession(sessionId))
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.SESSION_ENDED,
                    "session " + sessionId + " has ended; open a new one"));
  }

  @Override
  public TunnelHost ofHandle(int handle) {
    return hostByGroup.values().stream()
        .filter(host -> host.coordinator().hasHandle(handle))
        .findFirst()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.FENCED, "no channel is held under handle " + handle + " any more"));
  }

  @Override
  public Collection<TunnelHost> all() {
    return List.copyOf(hostByGroup.values());
  }
}
