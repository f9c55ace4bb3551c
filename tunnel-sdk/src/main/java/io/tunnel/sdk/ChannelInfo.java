package io.tunnel.sdk;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.FailureControl;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A channel of a tunnel now. Positions obey checkpointed &lt;= delivered &lt;= committed. Those of
 * a base channel count the rows of its partition and mean nothing to its stream channel.
 */
public final class ChannelInfo {

  /** A figure that the answering server cannot know: no number to add to others. */
  public static final long UNKNOWN = -1;

  private final ChannelDescription channel;

  /** A channel as the server describes it. */
  public ChannelInfo(ChannelDescription channel) {
    this.channel = Objects.requireNonNull(channel, "channel");
  }

  /** Names the channel. */
  public String getChannelId() {
    return channel.channelId();
  }

  /** Whether it carries rows or changes. */
  public ChannelType getChannelType() {
    return channel.type();
  }

  /** The partition that it carries. */
  public int partition() {
    return channel.partition();
  }

  /** Whether somebody holds it. */
  public ChannelStatus getChannelStatus() {
    return channel.status();
  }

  /** The session that holds it; null when none does. */
  public String getClientId() {
    return channel.owner().orElse(null);
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

  /** The newest change there is; of a base channel, as far as it has been read. */
  public long committed() {
    return channel.committed();
  }

  /**
   * Changes committed and not checkpointed; of a base channel the rows that are not, {@link
   * #UNKNOWN} when the node of a cluster that answered has no copy of the partition.
   */
  public long lagRows() {
    return channel.lagRows();
  }

  /** Whether {@link #lagRows} is an estimate: that of a base channel is until its end is known. */
  public boolean isLagEstimated() {
    return channel.type() == ChannelType.BaseData
        && channel.end().isEmpty()
        && channel.lagRows() != UNKNOWN;
  }

  /**
   * Bytes of the batches that hold them; {@link #UNKNOWN} when the node of a cluster that answered
   * has no copy of the partition.
   */
  public long lagBytes() {
    return channel.lagBytes();
  }

  /**
   * How long the oldest of them has waited, in milliseconds; 0 when there is none, {@link #UNKNOWN}
   * as with {@link #lagBytes}.
   */
  public long getChannelRpo() {
    return channel.lagMs();
  }

  /** Whether an operator keeps it, or its tunnel, from being delivered. */
  public boolean isPaused() {
    return channel.isPaused();
  }

  /** The position behind which it ends, once that is known. */
  public Optional<Long> end() {
    return channel.end();
  }

  /** Why it is stopped; it goes on when an operator resumes it. */
  public Optional<String> error() {
    return channel.error();
  }

  /** The change that it is stopped at or retried at, if its worker said so. */
  public Optional<FailedChange> failedAt() {
    return channel
        .retry()
        .flatMap(FailureControl.Retry::at)
        .or(channel::failedAt)
        .map(at -> FailedChange.of(channel.partition(), at));
  }

  /**
   * How it is retried, while its processor fails; as its worker said with its last heartbeat, which
   * may be some seconds old.
   */
  public Optional<RetryInfo> retry() {
    return channel.retry().map(retry -> RetryInfo.of(channel.partition(), retry));
  }

  /** What has to be finished before it starts. */
  public List<String> waitsFor() {
    return channel.waitsFor();
  }

  /**
   * How long until the oldest change that is not checkpointed is no longer kept, in milliseconds;
   * negative when it is lost already, absent when the table keeps changes for ever or there is no
   * such change.
   */
  public Optional<Long> historyLeftMs() {
    return channel.historyLeftMs();
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
