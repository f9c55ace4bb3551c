package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.processor.FailedChange;
import java.util.Arrays;
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

  private final String channelId;
  private final int partition;
  private final ChannelType type;
  private final ChannelStatus status;
  private final Optional<String> clientId;
  private final Optional<String> clientTag;
  private final long epoch;
  private final long checkpointed;
  private final long delivered;
  private final long committed;
  private final long lagRows;
  private final long lagBytes;
  private final long rpoInMillis;
  private final boolean isPaused;
  private final Optional<Long> end;
  private final Optional<String> error;
  private final Optional<FailedChange> failedAt;
  private final Optional<RetryInfo> retry;
  private final List<String> waitsFor;
  private final Optional<Long> historyLeftMs;

  private ChannelInfo(Builder builder) {
    this.channelId = builder.channelId;
    this.partition = builder.partition;
    this.type = builder.type;
    this.status = builder.status;
    this.clientId = builder.clientId;
    this.clientTag = builder.clientTag;
    this.epoch = builder.epoch;
    this.checkpointed = builder.checkpointed;
    this.delivered = builder.delivered;
    this.committed = builder.committed;
    this.lagRows = builder.lagRows;
    this.lagBytes = builder.lagBytes;
    this.rpoInMillis = builder.rpoInMillis;
    this.isPaused = builder.isPaused;
    this.end = builder.end;
    this.error = builder.error;
    this.failedAt = builder.failedAt;
    this.retry = builder.retry;
    this.waitsFor = builder.waitsFor;
    this.historyLeftMs = builder.historyLeftMs;
  }

  /**
   * Collects what is said of a channel; the SDK makes these, and so may a test. What is not said is
   * 0, absent or empty, and the channel OPEN.
   */
  public static Builder builder(String channelId, int partition, ChannelType type) {
    return new Builder(channelId, partition, type);
  }

  /** Names the channel. */
  public String getChannelId() {
    return channelId;
  }

  /** Whether it carries rows or changes. */
  public ChannelType getChannelType() {
    return type;
  }

  /** The partition that it carries. */
  public int partition() {
    return partition;
  }

  /** Whether somebody holds it. */
  public ChannelStatus getChannelStatus() {
    return status;
  }

  /** The session that holds it; null when none does. */
  public String getClientId() {
    return clientId.orElse(null);
  }

  /** What the worker that holds it calls itself. */
  public Optional<String> clientTag() {
    return clientTag;
  }

  /** Grows with every new holder. */
  public long epoch() {
    return epoch;
  }

  /** Every change up to this position was processed. */
  public long checkpointed() {
    return checkpointed;
  }

  /** Changes up to this position were sent to the holder. */
  public long delivered() {
    return delivered;
  }

  /** The newest change there is; of a base channel, as far as it has been read. */
  public long committed() {
    return committed;
  }

  /**
   * Changes committed and not checkpointed; of a base channel the rows that are not, {@link
   * #UNKNOWN} when the node of a cluster that answered has no copy of the partition.
   */
  public long lagRows() {
    return lagRows;
  }

  /** Whether {@link #lagRows} is an estimate: that of a base channel is until its end is known. */
  public boolean isLagEstimated() {
    return type == ChannelType.BaseData && end.isEmpty() && lagRows != UNKNOWN;
  }

  /**
   * Bytes of the batches that hold them; {@link #UNKNOWN} when the node of a cluster that answered
   * has no copy of the partition.
   */
  public long lagBytes() {
    return lagBytes;
  }

  /**
   * How long the oldest of them has waited, in milliseconds; 0 when there is none, {@link #UNKNOWN}
   * as with {@link #lagBytes}.
   */
  public long getChannelRpo() {
    return rpoInMillis;
  }

  /** Whether an operator keeps it, or its tunnel, from being delivered. */
  public boolean isPaused() {
    return isPaused;
  }

  /** The position behind which it ends, once that is known. */
  public Optional<Long> end() {
    return end;
  }

  /** Why it is stopped; it goes on when an operator resumes it. */
  public Optional<String> error() {
    return error;
  }

  /** The change that it is stopped at or retried at, if its worker said so. */
  public Optional<FailedChange> failedAt() {
    return retry.flatMap(RetryInfo::at).or(() -> failedAt);
  }

  /**
   * How it is retried, while its processor fails; as its worker said with its last heartbeat, which
   * may be some seconds old.
   */
  public Optional<RetryInfo> retry() {
    return retry;
  }

  /** What has to be finished before it starts. */
  public List<String> waitsFor() {
    return waitsFor;
  }

  /**
   * How long until the oldest change that is not checkpointed is no longer kept, in milliseconds, 0
   * for any moment; negative when it is lost already, absent when the table keeps changes for ever
   * or there is no such change.
   */
  public Optional<Long> historyLeftMs() {
    return historyLeftMs;
  }

  /**
   * Whether changes that were not checkpointed are gone: to resume the stopped channel is not
   * enough, for it stops again until a seek has moved it to what is kept.
   */
  public boolean hasLostHistory() {
    return historyLeftMs.filter(ms -> ms < 0).isPresent()
        || error.filter(why -> why.startsWith(ErrorCode.HISTORY_LOST.name())).isPresent();
  }

  private List<Object> values() {
    return Arrays.asList(
        channelId,
        partition,
        type,
        status,
        clientId,
        clientTag,
        epoch,
        checkpointed,
        delivered,
        committed,
        lagRows,
        lagBytes,
        rpoInMillis,
        isPaused,
        end,
        error,
        failedAt,
        retry,
        waitsFor,
        historyLeftMs);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChannelInfo that && values().equals(that.values());
  }

  @Override
  public int hashCode() {
    return values().hashCode();
  }

  @Override
  public String toString() {
    return "channel "
        + channelId
        + " of partition "
        + partition
        + ": "
        + type
        + " "
        + status
        + (isPaused ? " paused" : "")
        + clientId.map(id -> " held by " + id).orElse("")
        + ", epoch "
        + epoch
        + ", checkpointed "
        + checkpointed
        + " of "
        + committed
        + ", delivered "
        + delivered
        + end.map(at -> ", ends at " + at).orElse("")
        + (waitsFor.isEmpty() ? "" : ", waits for " + waitsFor)
        + retry.map(how -> ", " + how).orElse("")
        + error.map(why -> ", stopped: " + why).orElse("");
  }

  /** Collects what is said of a channel. */
  public static final class Builder {

    private final String channelId;
    private final int partition;
    private final ChannelType type;
    private ChannelStatus status = ChannelStatus.OPEN;
    private Optional<String> clientId = Optional.empty();
    private Optional<String> clientTag = Optional.empty();
    private long epoch;
    private long checkpointed;
    private long delivered;
    private long committed;
    private long lagRows;
    private long lagBytes;
    private long rpoInMillis;
    private boolean isPaused;
    private Optional<Long> end = Optional.empty();
    private Optional<String> error = Optional.empty();
    private Optional<FailedChange> failedAt = Optional.empty();
    private Optional<RetryInfo> retry = Optional.empty();
    private List<String> waitsFor = List.of();
    private Optional<Long> historyLeftMs = Optional.empty();

    private Builder(String channelId, int partition, ChannelType type) {
      this.channelId = Objects.requireNonNull(channelId, "channelId");
      this.partition = partition;
      this.type = Objects.requireNonNull(type, "type");
    }

    /** See {@link ChannelInfo#getChannelStatus}. */
    public Builder status(ChannelStatus status) {
      this.status = Objects.requireNonNull(status, "status");
      return this;
    }

    /** The session that holds it. */
    public Builder clientId(String clientId) {
      this.clientId = Optional.of(clientId);
      return this;
    }

    /** What the worker that holds it calls itself. */
    public Builder clientTag(String clientTag) {
      this.clientTag = Optional.of(clientTag);
      return this;
    }

    /** See {@link ChannelInfo#epoch}. */
    public Builder epoch(long epoch) {
      this.epoch = epoch;
      return this;
    }

    /** See {@link ChannelInfo#checkpointed}. */
    public Builder checkpointed(long checkpointed) {
      this.checkpointed = checkpointed;
      return this;
    }

    /** See {@link ChannelInfo#delivered}. */
    public Builder delivered(long delivered) {
      this.delivered = delivered;
      return this;
    }

    /** See {@link ChannelInfo#committed}. */
    public Builder committed(long committed) {
      this.committed = committed;
      return this;
    }

    /** See {@link ChannelInfo#lagRows}; may be {@link #UNKNOWN}. */
    public Builder lagRows(long lagRows) {
      this.lagRows = lagRows;
      return this;
    }

    /** See {@link ChannelInfo#lagBytes}; may be {@link #UNKNOWN}. */
    public Builder lagBytes(long lagBytes) {
      this.lagBytes = lagBytes;
      return this;
    }

    /** See {@link ChannelInfo#getChannelRpo}; may be {@link #UNKNOWN}. */
    public Builder rpoInMillis(long rpoInMillis) {
      this.rpoInMillis = rpoInMillis;
      return this;
    }

    /** See {@link ChannelInfo#isPaused}. */
    public Builder paused(boolean isPaused) {
      this.isPaused = isPaused;
      return this;
    }

    /** The position behind which it ends. */
    public Builder end(long end) {
      this.end = Optional.of(end);
      return this;
    }

    /** Why it is stopped. */
    public Builder error(String error) {
      this.error = Optional.of(error);
      return this;
    }

    /** The change that it is stopped at. */
    public Builder failedAt(FailedChange failedAt) {
      this.failedAt = Optional.of(failedAt);
      return this;
    }

    /** How it is retried. */
    public Builder retry(RetryInfo retry) {
      this.retry = Optional.of(retry);
      return this;
    }

    /** What has to be finished before it starts. */
    public Builder waitsFor(List<String> waitsFor) {
      this.waitsFor = List.copyOf(waitsFor);
      return this;
    }

    /** See {@link ChannelInfo#historyLeftMs}. */
    public Builder historyLeftMs(long historyLeftMs) {
      this.historyLeftMs = Optional.of(historyLeftMs);
      return this;
    }

    /** The channel. */
    public ChannelInfo build() {
      return new ChannelInfo(this);
    }
  }
}
