package io.tunnel.sdk.checkpoint;

import io.tunnel.model.ChannelType;
import java.util.Objects;

/**
 * What a seek does to one channel.
 *
 * @param channelId names the channel
 * @param partition the id of the channel's partition
 * @param type rows or changes
 * @param from the checkpoint before the seek: every change up to here was processed
 * @param to the checkpoint after the seek: every change up to here counts as processed
 */
public record ChannelMove(String channelId, int partition, ChannelType type, long from, long to) {

  /** Refuses null. */
  public ChannelMove {
    Objects.requireNonNull(channelId, "channelId");
    Objects.requireNonNull(type, "type");
  }

  /** How many positions are delivered again; 0 when the channel moves on, or stays. */
  public long again() {
    return Math.max(0, from - to);
  }

  /** How many positions are skipped; 0 when the channel moves back, or stays. */
  public long skipped() {
    return Math.max(0, to - from);
  }
}
