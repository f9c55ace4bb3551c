package io.tunnel.server.channel;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.channel.ration.Rations;
import io.tunnel.server.table.BaseRows;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes the channels of attachments. */
public final class Channels {

  private final ChangeReader changes;
  private final Pacing pacing;

  /**
   * Limits of deliveries.
   *
   * @param deliveryBytesMax bytes of batches in one delivery, if a single batch is not larger
   * @param rations the throttle of channels that lag far
   */
  public record Pacing(int deliveryBytesMax, Rations rations) {}

  /** Channels over the changes of a server. */
  public Channels(ChangeReader changes, Pacing pacing) {
    this.changes = changes;
    this.pacing = pacing;
  }

  /**
   * A channel over the changes of a partition, up to {@code end} if it is known yet.
   *
   * @param endMs while the end is unknown, only changes committed before this time are delivered,
   *     in milliseconds since 1970
   */
  public Channel stream(
      Channel.Start start, OptionalLong end, Optional<Long> endMs, DeliveryPort port) {
    StreamChannel.End ends = new StreamChannel.End(end, endMs);
    return new StreamChannel(start, ends, changes, port, pacing);
  }

  /**
   * A channel over the rows of a partition.
   *
   * @param tunnelId the tunnel whose rows are read from {@code rows}
   * @param afterKey the encoded key of the row at the checkpointed position; empty before the first
   */
  public Channel base(
      BaseRows rows, String tunnelId, Channel.Start start, Bytes afterKey, DeliveryPort port) {
    BaseChannel.Source source =
        (after, firstPosition, bytesMax, sink) ->
            rows.read(tunnelId, start.partition(), after, firstPosition, bytesMax, sink);
    return new BaseChannel(start, afterKey, source, port, pacing);
  }
}
