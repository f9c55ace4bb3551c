package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import java.util.List;

/** How far a tunnel has come, as Tablestore names it. */
public enum TunnelStage {
  /** It has no channels yet. */
  InitBaseDataAndStreamShard,
  /** Rows that existed are being delivered, or are all that there is to deliver. */
  ProcessBaseData,
  /** Only changes are left. */
  ProcessStream;

  static TunnelStage of(TunnelType type, List<ChannelInfo> channels) {
    if (channels.isEmpty()) {
      return InitBaseDataAndStreamShard;
    }
    boolean hasBaseLeft =
        channels.stream()
            .anyMatch(
                channel ->
                    channel.getChannelType() == ChannelType.BaseData
                        && channel.getChannelStatus() != ChannelStatus.TERMINATED);
    return hasBaseLeft || type == TunnelType.BaseData ? ProcessBaseData : ProcessStream;
  }
}
