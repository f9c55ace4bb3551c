package io.tunnel.sdk;

import io.tunnel.wire.Control;
import java.util.List;

/**
 * A tunnel and its channels now.
 *
 * @param tunnelInfo what does not change about it
 * @param channelInfos in the order of the table's partitions, a base channel before the stream
 *     channel of its partition
 * @param isPaused whether the tunnel as a whole is paused
 * @param sessionInfos its open sessions in the order in which they came
 */
public record DescribeTunnelResponse(
    TunnelInfo tunnelInfo,
    List<ChannelInfo> channelInfos,
    boolean isPaused,
    List<SessionInfo> sessionInfos) {

  /** Copies the lists. */
  public DescribeTunnelResponse {
    channelInfos = List.copyOf(channelInfos);
    sessionInfos = List.copyOf(sessionInfos);
  }

  static DescribeTunnelResponse of(Control.TunnelDescription tunnel) {
    return new DescribeTunnelResponse(
        TunnelInfo.of(tunnel.info()),
        tunnel.channels().stream().map(ChannelInfo::new).toList(),
        tunnel.isPaused(),
        tunnel.sessions().stream().map(SessionInfo::of).toList());
  }

  /** What does not change about the tunnel. */
  public TunnelInfo getTunnelInfo() {
    return tunnelInfo;
  }

  /** The channels in the order of the table's partitions. */
  public List<ChannelInfo> getChannelInfos() {
    return channelInfos;
  }

  /** The open sessions in the order in which they came. */
  public List<SessionInfo> getSessionInfos() {
    return sessionInfos;
  }

  /**
   * How long the slowest channel's oldest change has waited, in milliseconds; {@link
   * ChannelInfo#UNKNOWN} when that is not known of every channel.
   */
  public long getTunnelRpo() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.lagMs() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::lagMs).max().orElse(0)
        : ChannelInfo.UNKNOWN;
  }

  /** Changes that are committed and not checkpointed, of all channels. */
  public long lagRows() {
    return channelInfos.stream().mapToLong(ChannelInfo::lagRows).sum();
  }

  /**
   * Bytes of the batches that hold them, of all channels; {@link ChannelInfo#UNKNOWN} when that is
   * not known of every channel.
   */
  public long lagBytes() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.lagBytes() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::lagBytes).sum()
        : ChannelInfo.UNKNOWN;
  }

  /** How far the tunnel has come, as its channels tell. */
  public TunnelStage getStage() {
    return TunnelStage.of(tunnelInfo.tunnelType(), channelInfos);
  }
}
