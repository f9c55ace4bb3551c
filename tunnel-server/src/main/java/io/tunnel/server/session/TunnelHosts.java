package io.tunnel.server.session;

import java.util.Collection;
import java.util.List;

/**
 * Finds the host of a tunnel that this server coordinates. For any thread; the tunnel may be gone
 * before the host serves it.
 */
public interface TunnelHosts {

  /**
   * The host of a table's tunnels.
   *
   * @throws io.tunnel.model.RefusedException NOT_LEADER when a different node leads the table,
   *     TABLE_NOT_FOUND
   */
  TunnelHost ofTable(String table);

  /**
   * The host of a tunnel.
   *
   * @throws io.tunnel.model.RefusedException NOT_LEADER when a different node leads the tunnel,
   *     TUNNEL_NOT_FOUND
   */
  TunnelHost ofTunnel(String tunnelId);

  /**
   * The host on which a session is open.
   *
   * @throws io.tunnel.model.RefusedException SESSION_ENDED
   */
  TunnelHost ofSession(String sessionId);

  /**
   * The host on which a session holds a channel under that handle.
   *
   * @throws io.tunnel.model.RefusedException FENCED
   */
  TunnelHost ofHandle(int handle);

  /** All hosts of this server. */
  Collection<TunnelHost> all();

  /** The one host of a single server. */
  static TunnelHosts alone(TunnelHost host) {
    return new Alone(host);
  }

  /** All tunnels are on one host, which refuses unknown tunnels and sessions. */
  record Alone(TunnelHost host) implements TunnelHosts {

    @Override
    public TunnelHost ofTable(String table) {
      return host;
    }

    @Override
    public TunnelHost ofTunnel(String tunnelId) {
      return host;
    }

    @Override
    public TunnelHost ofSession(String sessionId) {
      return host;
    }

    @Override
    public TunnelHost ofHandle(int handle) {
      return host;
    }

    @Override
    public Collection<TunnelHost> all() {
      return List.of(host);
    }
  }
}
