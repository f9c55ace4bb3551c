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
   * Times and size of an input, known without decoding its changes.
   *
   * @param firstCommitMicros commit time of the first change, in microseconds since 1970
   * @param lastCommitMicros commit time of the last change, in microseconds since 1970
   * @param byteCount encoded size of the changes, in bytes
   */
  public record Extent(long firstCommitMicros, long lastCommitMicros, long byteCount) {}

  /**
   * Makes an input. The SDK makes inputs, and tests of processors may.
   *
   * @param nextToken the token to checkpoint when all records are processed; null when the channel
   *     ends with these records
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
   * The changes, at least one, in rising order of positions. The list knows its size without
   * decoding a change. The iterator makes one record at a time; an access by index makes all
   * records.
   */
  public List<StreamRecord> getRecords() {
    return records;
  }

  /**
   * The token to checkpoint when all records are processed: an opaque text. Null when the channel
   * is known to end with these records; {@link ICheckpointer} accepts null. The last input of a
   * channel may have a token nevertheless, because the worker may learn of the end later: only
   * {@link IChannelProcessor#ended} reports the end for certain.
   */
  public String getNextToken() {
    return nextToken;
  }

  /** Id of the channel, which all workers of the tunnel know by this id. */
  public String getChannelId() {
    return channelId;
  }

  /** The channel's partition: the part of the channel id before the first underscore. */
  public String getPartitionId() {
    int end = channelId.indexOf('_');
    return end < 0 ? channelId : channelId.substring(0, end);
  }

  /** Stream: the records are changes. BaseData: each record is an existing row, given as a PUT. */
  public ChannelType channelType() {
    return channelType;
  }

  /** Name of this input in logs. */
  public String getTraceId() {
    return traceId;
  }

  /** Encoded size of the changes in bytes, see {@link StreamRecord#byteCount}. */
  public long byteCount() {
    return extent.byteCount();
  }

  /** Commit time of the first change, in microseconds since 1970. */
  public long firstCommitMicros() {
    return extent.firstCommitMicros();
  }

  /** Commit time of the last change, in microseconds since 1970. */
  public long lastCommitMicros() {
    return extent.lastCommitMicros();
  }
}
