package io.tunnel.sdk;

import io.tunnel.model.ChannelStatus;
import io.tunnel.wire.Control.ChannelDescription;
import java.util.Objects;
import java.util.Optional;

/** A channel of a tunnel now. Positions obey checkpointed &lt;= delivered &lt;= committed. */
public final class ChannelInfo {

  private final ChannelDescription channel;

  /** A channel as the server describes it. */
  public ChannelInfo(ChannelDescription channel) {
    this.channel = Objects.requireNonNull(channel, "channel");
  }

  /** Names the channel. */
  public String getChannelId() {
    return channel.channelId();
  }

  /** The partition whose changes it carries. */
  public int partition() {
    return channel.partition();
  }

  /** Whether somebody holds it. */
  public ChannelStatus getChannelStatus() {
    return channel.status();
  }

  /** The session that holds it; null when none does. */
  public String getClientId() {
    return owner().orElse(null);
  }

  /** The session that holds it. */
  public Optional<String> owner() {
    return channel.owner();
  }

  /** What the worker that holds it calls itself. */
  public Optional<String> clientTag() {
    return channel.clientTag();
  }

  /** Grows with every new holder. */
  public long epoch() {
    return channel.epoch();
  }

  /** Every change up to this position was processed. */
  public long checkpointed() {
    return channel.checkpointed();
  }

  /** Changes up to this position were sent to the holder. */
  public long delivered() {
    return channel.delivered();
  }

  /** The newest change there is. */
  public long committed() {
    return channel.committed();
  }

  /** Changes committed and not checkpointed. */
  public long lagRows() {
    return channel.lagRows();
  }

  /** Bytes of the batches that hold them. */
  public long lagBytes() {
    return channel.lagBytes();
  }

  /** How long the oldest of them has waited, in milliseconds; 0 when there is none. */
  public long lagMs() {
    return channel.lagMs();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChannelInfo that && channel.equals(that.channel);
  }

  @Override
  public int hashCode() {
    return channel.hashCode();
  }

  @Override
  public String toString() {
    return channel.toString();
  }
}
