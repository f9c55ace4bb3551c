package io.tunnel.sdk;

import java.util.List;

/**
 * A tunnel and its channels now.
 *
 * @param tunnelInfo what does not change about it
 * @param channelInfos one per partition of the table, in key order
 */
public record DescribeTunnelResponse(TunnelInfo tunnelInfo, List<ChannelInfo> channelInfos) {

  /** Copies the list. */
  public DescribeTunnelResponse {
    channelInfos = List.copyOf(channelInfos);
  }

  /** What does not change about the tunnel. */
  public TunnelInfo getTunnelInfo() {
    return tunnelInfo;
  }

  /** The channels, one per partition of the table, in key order. */
  public List<ChannelInfo> getChannelInfos() {
    return channelInfos;
  }
}
