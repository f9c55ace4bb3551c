package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelType;
import java.util.List;
import java.util.Objects;

/** The present state of a tunnel and its channels. */
public final class DescribeTunnelResponse {

  private final TunnelInfo tunnelInfo;
  private final List<ChannelInfo> channelInfos;
  private final boolean isPaused;
  private final List<SessionInfo> sessionInfos;
  private final long skippedCount;
  private final List<SkippedChange> skipped;

  /** A description; for the SDK and for tests. */
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

  /** A description of a tunnel without skipped changes. */
  public DescribeTunnelResponse(
      TunnelInfo tunnelInfo,
      List<ChannelInfo> channelInfos,
      boolean isPaused,
      List<SessionInfo> sessionInfos) {
    this(tunnelInfo, channelInfos, isPaused, sessionInfos, 0, List.of());
  }

  /** The fixed properties of the tunnel. */
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

  /** The open sessions, oldest first. */
  public List<SessionInfo> sessionInfos() {
    return sessionInfos;
  }

  /**
   * How many changes the workers of the tunnel skipped in all, see {@link
   * io.tunnel.sdk.processor.FailurePolicy.Skip}.
   */
  public long skippedCount() {
    return skippedCount;
  }

  /** The last skipped changes, at most 100, oldest first. */
  public List<SkippedChange> skipped() {
    return skipped;
  }

  /**
   * The age of the oldest change that is not checkpointed in any channel, in milliseconds; {@link
   * ChannelInfo#UNKNOWN} when a channel's age is unknown.
   */
  public long getTunnelRpo() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.getChannelRpo() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::getChannelRpo).max().orElse(0)
        : ChannelInfo.UNKNOWN;
  }

  /**
   * Changes, and rows of base channels, that are not checkpointed, in all channels; {@link
   * ChannelInfo#UNKNOWN} when a channel's number is unknown.
   */
  public long lagRows() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.lagRows() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::lagRows).sum()
        : ChannelInfo.UNKNOWN;
  }

  /**
   * Changes that are not checkpointed, in all stream channels, as in the meter {@code
   * tunnel_channel_lag_rows}; {@link ChannelInfo#UNKNOWN} when a stream channel's number is
   * unknown. Known also where {@link #lagRows} is not, because no node knows how many rows a base
   * channel has still to read.
   */
  public long lagChanges() {
    List<ChannelInfo> streams =
        channelInfos.stream()
            .filter(channel -> channel.getChannelType() == ChannelType.Stream)
            .toList();
    boolean isKnown = streams.stream().noneMatch(one -> one.lagRows() == ChannelInfo.UNKNOWN);
    return isKnown ? streams.stream().mapToLong(ChannelInfo::lagRows).sum() : ChannelInfo.UNKNOWN;
  }

  /** Whether {@link #lagRows} is an estimate, because a base channel's number is. */
  public boolean isLagEstimated() {
    return lagRows() != ChannelInfo.UNKNOWN
        && channelInfos.stream().anyMatch(ChannelInfo::isLagEstimated);
  }

  /**
   * Bytes of the batches that contain the changes of {@link #lagRows}; {@link ChannelInfo#UNKNOWN}
   * when a channel's number is unknown.
   */
  public long lagBytes() {
    boolean isKnown =
        channelInfos.stream().noneMatch(channel -> channel.lagBytes() == ChannelInfo.UNKNOWN);
    return isKnown
        ? channelInfos.stream().mapToLong(ChannelInfo::lagBytes).sum()
        : ChannelInfo.UNKNOWN;
  }

  /** The stage of the tunnel, derived from its channels. */
  public TunnelStage stage() {
    return TunnelStage.of(tunnelInfo.getTunnelType(), channelInfos);
  }

  @Override
  public String toString() {
    return tunnelInfo + (isPaused ? ", paused, " : ", ") + channelInfos + ", " + sessionInfos;
  }
}
