package io.tunnel.sdk;

import io.tunnel.wire.Control;
import java.util.List;
import java.util.Objects;

/** A tunnel and its channels now. */
public final class DescribeTunnelResponse {

  private final TunnelInfo tunnelInfo;
  private final List<ChannelInfo> channelInfos;
  private final boolean isPaused;
  private final List<SessionInfo> sessionInfos;

  /** A description; the SDK makes these, and so may a test. */
  public DescribeTunnelResponse(
      TunnelInfo tunnelInfo,
      List<ChannelInfo> channelInfos,
      boolean isPaused,
      List<SessionInfo> sessionInfos) {
    this.tunnelInfo = Objects.requireNonNull(tunnelInfo, "tunnelInfo");
    this.channelInfos = List.copyOf(channelInfos);
    this.isPaused = isPaused;
    this.sessionInfos = List.copyOf(sessionInfos);
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

  /**
   * The channels in the order of the table's partitions, a base channel before the stream channel
   * of its partition.
   */
  public List<ChannelInfo> getChannelInfos() {
    return channelInfos;
  }

  /** Whether the tunnel as a whole is paused. */
  public boolean isPaused() {
    return isPaused;
  }

  /** The open sessions in the order in which they came. */
  public List<SessionInfo> sessionInfos() {
    return sessionInfos;
  }

  /**
   * How long the slowest channel's oldest change has waited, in milliseconds; {@link
   * ChannelInfo#UNKNOWN} when that is not known of every channel.
   */
  public long getTunnelRpo() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.getChannelRpo() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::getChannelRpo).max().orElse(0)
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
  public TunnelStage stage() {
    return TunnelStage.of(tunnelInfo.getTunnelType(), channelInfos);
  }

  @Override
  public String toString() {
    return tunnelInfo + (isPaused ? ", paused, " : ", ") + channelInfos + ", " + sessionInfos;
  }
}
