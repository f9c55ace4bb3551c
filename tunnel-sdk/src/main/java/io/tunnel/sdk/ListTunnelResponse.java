package io.tunnel.sdk;

import java.util.List;

/**
 * The tunnels there are.
 *
 * @param tunnelInfos by table and name
 */
public record ListTunnelResponse(List<TunnelInfo> tunnelInfos) {

  /** Copies the list. */
  public ListTunnelResponse {
    tunnelInfos = List.copyOf(tunnelInfos);
  }

  /** The tunnels by table and name. */
  public List<TunnelInfo> getTunnelInfos() {
    return tunnelInfos;
  }
}
