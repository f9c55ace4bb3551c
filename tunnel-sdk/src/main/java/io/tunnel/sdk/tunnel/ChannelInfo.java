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
 * The present state of a channel. Positions obey checkpointed &lt;= delivered &lt;= committed.
 * Positions of a base channel count rows, and have no meaning for the stream channel of the
 * partition.
 */
public final class ChannelInfo {

  /** The value of a figure that the answering server does not know; not to be added up. */
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
   * Builds the state of a channel; for the SDK and for tests. Defaults are 0, absent or empty, and
   * the status OPEN.
   */
  public static Builder builder(String channelId, int partition, ChannelType type) {
    return new Builder(channelId, partition, type);
  }

  /** The id of the channel. */
  public String getChannelId() {
    return channelId;
  }

  /** Whether the channel carries rows or changes. */
  public ChannelType getChannelType() {
    return type;
  }

  /** The id of the channel's partition. */
  public int partition() {
    return partition;
  }

  /** Whether a session holds the channel, and whether it has ended. */
  public ChannelStatus getChannelStatus() {
    return status;
  }

  /** The id of the session that holds the channel; null when no session does. */
  public String getClientId() {
    return clientId.orElse(null);
  }

  /** The tag of the worker that holds the channel. */
  public Optional<String> clientTag() {
    return clientTag;
  }

  /** Grows with every new holder. */
  public long epoch() {
    return epoch;
  }

  /** The checkpoint: every change up to this position was processed. */
  public long checkpointed() {
    return checkpointed;
  }

  /** Changes up to this position were sent to the holder. */
  public long delivered() {
    return delivered;
  }

  /** The position of the newest change; for a base channel, the rows read so far. */
  public long committed() {
    return committed;
  }

  /**
   * Changes that are committed and not checkpointed; for a base channel, rows that are not
   * checkpointed. {@link #UNKNOWN} when the answering node has no replica of the partition.
   */
  public long lagRows() {
    return lagRows;
  }

  /** Whether {@link #lagRows} is an estimate, as for a base channel whose end is unknown. */
  public boolean isLagEstimated() {
    return type == ChannelType.BaseData && end.isEmpty() && lagRows != UNKNOWN;
  }

  /**
   * Bytes of the batches that contain the changes of {@link #lagRows}; {@link #UNKNOWN} when the
   * answering node has no replica of the partition, and when the replica lacks some of these
   * changes, which Kafka keeps.
   */
  public long lagBytes() {
    return lagBytes;
  }

  /**
   * The age of the oldest change that is not checkpointed, in milliseconds; 0 without such a
   * change, {@link #UNKNOWN} as for {@link #lagBytes}.
   */
  public long getChannelRpo() {
    return rpoInMillis;
  }

  /** Whether an operator has paused the channel or its tunnel. */
  public boolean isPaused() {
    return isPaused;
  }

  /** The last position of the channel, once known. */
  public Optional<Long> end() {
    return end;
  }

  /** Why the channel is stopped, until an operator resumes it. */
  public Optional<String> error() {
    return error;
  }

  /** The change at which the channel is stopped or retried, if its worker reported the change. */
  public Optional<FailedChange> failedAt() {
    return retry.flatMap(RetryInfo::at).or(() -> failedAt);
  }

  /**
   * The retries of a failing processor, as of the worker's last heartbeat, which may be some
   * seconds old.
   */
  public Optional<RetryInfo> retry() {
    return retry;
  }

  /** The channels that must finish before this one starts. */
  public List<String> waitsFor() {
    return waitsFor;
  }

  /**
   * Milliseconds until retention may delete the oldest change that is not checkpointed; 0 when it
   * may at any moment, negative when the change is lost already. Absent when the table keeps
   * changes for ever, or all changes are checkpointed.
   */
  public Optional<Long> historyLeftMs() {
    return historyLeftMs;
  }

  /**
   * Whether changes were lost before they were checkpointed. Resuming the stopped channel does not
   * help: it stops again until a seek moves it to kept changes.
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

  /** Builds the state of a channel. */
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

    /** The session that holds the channel. */
    public Builder clientId(String clientId) {
      this.clientId = Optional.of(clientId);
      return this;
    }

    /** The tag of the worker that holds the channel. */
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

    /** The last position of the channel. */
    public Builder end(long end) {
      this.end = Optional.of(end);
      return this;
    }

    /** Why the channel is stopped. */
    public Builder error(String error) {
      this.error = Optional.of(error);
      return this;
    }

    /** The change at which the channel is stopped. */
    public Builder failedAt(FailedChange failedAt) {
      this.failedAt = Optional.of(failedAt);
      return this;
    }

    /** The retries of a failing processor. */
    public Builder retry(RetryInfo retry) {
      this.retry = Optional.of(retry);
      return this;
    }

    /** The channels that must finish before this one starts. */
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
