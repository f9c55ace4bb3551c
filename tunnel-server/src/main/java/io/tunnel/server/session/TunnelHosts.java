package io.tunnel.server.session;

import java.util.Collection;
import java.util.List;

/**
 * Where the tunnels are that this server coordinates. May be asked by any thread; what a host was
 * found for may be gone when it looks.
 */
public interface TunnelHosts {

  /**
   * The host of a table's tunnels.
   *
   * @throws io.tunnel.model.RefusedException NOT_LEADER when it is another node, TABLE_NOT_FOUND
   */
  TunnelHost ofTable(String table);

  /**
   * The host of a tunnel.
   *
   * @throws io.tunnel.model.RefusedException NOT_LEADER when it is another node, TUNNEL_NOT_FOUND
   */
  TunnelHost ofTunnel(String tunnelId);

  /**
   * The host on which a session is open.
   *
   * @throws io.tunnel.model.RefusedException SESSION_ENDED
   */
  TunnelHost ofSession(String sessionId);

  /**
   * The host on which a channel is held under that name.
   *
   * @throws io.tunnel.model.RefusedException FENCED
   */
  TunnelHost ofHandle(int handle);

  /** All of them. */
  Collection<TunnelHost> all();

  /** The one host of a server that is alone. */
  static TunnelHosts alone(TunnelHost host) {
    return new Alone(host);
  }

  /** All tunnels are on one host, which says itself what it does not know. */
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
