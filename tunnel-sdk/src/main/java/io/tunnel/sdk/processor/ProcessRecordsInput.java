package io.tunnel.sdk.processor;

import io.tunnel.model.ChannelType;
import java.util.List;
import java.util.Objects;

/** The next changes of one channel, in order. */
public final class ProcessRecordsInput {

  private final List<StreamRecord> records;
  private final String nextToken;
  private final String traceId;
  private final String channelId;
  private final Extent extent;
  private final ChannelType channelType;

  /**
   * How far the changes of an input reach, known without looking at them.
   *
   * @param firstCommitMicros when the first change was committed, in microseconds since 1970
   * @param lastCommitMicros when the last one was
   * @param byteCount their bytes as they are encoded
   */
  public record Extent(long firstCommitMicros, long lastCommitMicros, long byteCount) {}

  /**
   * An input; the SDK makes these, and so may a test of a processor.
   *
   * @param nextToken what to checkpoint when all records are processed; null when nothing can come
   *     behind them any more
   */
  public ProcessRecordsInput(
      List<StreamRecord> records,
      String nextToken,
      String traceId,
      String channelId,
      Extent extent,
      ChannelType channelType) {
    this.records = Objects.requireNonNull(records, "records");
    this.nextToken = nextToken;
    this.traceId = Objects.requireNonNull(traceId, "traceId");
    this.channelId = Objects.requireNonNull(channelId, "channelId");
    this.extent = Objects.requireNonNull(extent, "extent");
    this.channelType = Objects.requireNonNull(channelType, "channelType");
  }

  /** An input of a stream channel. */
  public ProcessRecordsInput(
      List<StreamRecord> records,
      String nextToken,
      String traceId,
      String channelId,
      Extent extent) {
    this(records, nextToken, traceId, channelId, extent, ChannelType.Stream);
  }

  /**
   * The changes, at least one, at rising positions. The size is known without decoding anything;
   * the records are made as they are walked over, or all when one is asked for by its index.
   */
  public List<StreamRecord> getRecords() {
    return records;
  }

  /**
   * What to checkpoint when all of these are processed: an opaque text. Null when it is known that
   * nothing comes behind them; {@link ICheckpointer} takes that too. A channel that ends may give a
   * token with its last changes nevertheless, because it can learn later that they were the last:
   * what says that for certain is {@link IChannelProcessor#ended}.
   */
  public String getNextToken() {
    return nextToken;
  }

  /** Names the channel, the same for all workers. */
  public String getChannelId() {
    return channelId;
  }

  /** The channel's partition: the part of the channel id before the first underscore. */
  public String getPartitionId() {
    int end = channelId.indexOf('_');
    return end < 0 ? channelId : channelId.substring(0, end);
  }

  /** Whether these are changes, or rows as they were at one moment, each given as a PUT. */
  public ChannelType channelType() {
    return channelType;
  }

  /** Names this input in logs. */
  public String getTraceId() {
    return traceId;
  }

  /** Bytes of the changes as they are encoded, see {@link StreamRecord#byteCount}. */
  public long byteCount() {
    return extent.byteCount();
  }

  /** When the first of the changes was committed, in microseconds since 1970. */
  public long firstCommitMicros() {
    return extent.firstCommitMicros();
  }

  /** When the last of the changes was committed, in microseconds since 1970. */
  public long lastCommitMicros() {
    return extent.lastCommitMicros();
  }
}
