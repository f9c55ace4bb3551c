package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import java.util.List;

/** The stage of a tunnel, with Tablestore's names. */
public enum TunnelStage {
  /** The tunnel has no channels yet. */
  InitBaseDataAndStreamShard,
  /** Existing rows are being delivered, or the tunnel delivers nothing else. */
  ProcessBaseData,
  /** Only changes are left to deliver. */
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
