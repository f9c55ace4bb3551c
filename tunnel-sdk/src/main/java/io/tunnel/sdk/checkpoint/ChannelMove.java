package io.tunnel.sdk.checkpoint;

import io.tunnel.model.ChannelType;
import java.util.Objects;

/**
 * What a seek does to one channel.
 *
 * @param channelId names the channel
 * @param partition the id of the partition that it carries
 * @param type rows or changes
 * @param from every change up to here was processed
 * @param to every change up to here is taken for processed from now on
 */
public record ChannelMove(String channelId, int partition, ChannelType type, long from, long to) {

  /** Refuses null. */
  public ChannelMove {
    Objects.requireNonNull(channelId, "channelId");
    Objects.requireNonNull(type, "type");
  }

  /** How many positions are delivered again; 0 when it moves on, or stays. */
  public long again() {
    return Math.max(0, from - to);
  }

  /** How many positions are skipped; 0 when it moves back, or stays. */
  public long skipped() {
    return Math.max(0, to - from);
  }
}
