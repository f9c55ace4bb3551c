package io.tunnel.sdk.tunnel;

import io.tunnel.sdk.processor.FailurePolicy;
import java.util.List;
import java.util.Objects;

/** A tunnel and its channels now. */
public final class DescribeTunnelResponse {

  private final TunnelInfo tunnelInfo;
  private final List<ChannelInfo> channelInfos;
  private final boolean isPaused;
  private final List<SessionInfo> sessionInfos;
  private final long skippedCount;
  private final List<SkippedChange> skipped;

  /** A description; the SDK makes these, and so may a test. */
  public DescribeTunnelResponse(
      TunnelInfo tunnelInfo,
      List<ChannelInfo> channelInfos,
      boolean isPaused,
      List<SessionInfo> sessionInfos,
      long skippedCount,
      List<SkippedChange> skipped) {
    this.tunnelInfo = Objects.requireNonNull(tunnelInfo, "tunnelInfo");
    this.channelInfos = List.copyOf(channelInfos);
    this.isPaused = isPaused;
    this.sessionInfos = List.copyOf(sessionInfos);
    this.skippedCount = skippedCount;
    this.skipped = List.copyOf(skipped);
  }

  /** A description of a tunnel of which no change was left out. */
  public DescribeTunnelResponse(
      TunnelInfo tunnelInfo,
      List<ChannelInfo> channelInfos,
      boolean isPaused,
      List<SessionInfo> sessionInfos) {
    this(tunnelInfo, channelInfos, isPaused, sessionInfos, 0, List.of());
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

  /** How many changes its workers left out in all, see {@link FailurePolicy.Skip}. */
  public long skippedCount() {
    return skippedCount;
  }

  /** The last changes that were left out, at most 100, oldest first. */
  public List<SkippedChange> skipped() {
    return skipped;
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

  /**
   * Changes, and rows of base channels, that are not checkpointed, of all channels; {@link
   * ChannelInfo#UNKNOWN} when that is not known of every channel.
   */
  public long lagRows() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.lagRows() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::lagRows).sum()
        : ChannelInfo.UNKNOWN;
  }

  /** Whether {@link #lagRows} is an estimate, because that of a base channel is. */
  public boolean isLagEstimated() {
    return lagRows() != ChannelInfo.UNKNOWN
        && channelInfos.stream().anyMatch(ChannelInfo::isLagEstimated);
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
