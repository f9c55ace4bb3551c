package io.tunnel.sdk.tunnel;

import java.util.List;

/** A list of tunnels. */
public final class ListTunnelResponse {

  private final List<TunnelInfo> tunnelInfos;

  /** An answer; for the SDK and for tests. */
  public ListTunnelResponse(List<TunnelInfo> tunnelInfos) {
    this.tunnelInfos = List.copyOf(tunnelInfos);
  }

  /** The tunnels by table and name. */
  public List<TunnelInfo> getTunnelInfos() {
    return tunnelInfos;
  }

  @Override
  public String toString() {
    return tunnelInfos.toString();
  }
}
