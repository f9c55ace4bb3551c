package io.tunnel.sdk.tunnel;

import java.util.List;

/** The tunnels there are. */
public final class ListTunnelResponse {

  private final List<TunnelInfo> tunnelInfos;

  /** An answer; the SDK makes these, and so may a test. */
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
