package io.tunnel.sdk;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyDecoder;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.read.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Consecutive records of one partition, or the end of the partition. The bytes count against the
 * limit of the partition until {@link #release}.
 */
public final class PartitionRecords {

  private final ReadStart start;
  private final List<StreamRecord> records;
  private final boolean isEnd;
  private final int bytes;
  private final SeenIn seenIn;
  private final Runnable whenReleased;
  private boolean isReleased;

  /**
   * What the service knows about the positions of records.
   *
   * @param rowsAt see {@link PartitionRecords#rowsAt}
   * @param incarnation see {@link PartitionRecords#incarnation}
   */
  public record SeenIn(Optional<Long> rowsAt, Optional<Long> incarnation) {

    /** The service knows neither. */
    public static final SeenIn NOTHING = new SeenIn(Optional.empty(), Optional.empty());
  }

  /** Makes records. The SDK makes them, and tests of readers may. */
  public PartitionRecords(
      ReadStart start,
      List<StreamRecord> records,
      boolean isEnd,
      int bytes,
      SeenIn seenIn,
      Runnable whenReleased) {
    this.start = start;
    this.records = List.copyOf(records);
    this.isEnd = isEnd;
    this.bytes = bytes;
    this.seenIn = seenIn;
    this.whenReleased = whenReleased;
  }

  static PartitionRecords of(
      Received received, List<PrimaryKeySchema> schema, Runnable whenReleased) {
    return new PartitionRecords(
        received.start(),
        decode(received, schema),
        received.isEnd(),
        received.bytes(),
        new SeenIn(received.rowsAt(), received.incarnation()),
        whenReleased);
  }

  private static List<StreamRecord> decode(Received received, List<PrimaryKeySchema> schema) {
    List<StreamRecord> records = new ArrayList<>();
    KeyDecoder keys = new KeyDecoder(schema);
    long end = received.start().end().orElse(Long.MAX_VALUE);
    received
        .delivery()
        .ifPresent(
            delivery -> {
              for (ChangeBatch batch : delivery.batches()) {
                RowCursor row = batch.rows();
                for (long position = batch.basePosition(); row.next(); position++) {
                  // Batches arrive whole, even if reading begins or ends inside a batch.
                  if (position >= delivery.firstPosition() && position <= end) {
                    records.add(new StreamRecord(row, position, keys));
                  }
                }
              }
            });
    return records;
  }

  /** The start given to {@link PartitionReader#start}. */
  public ReadStart start() {
    return start;
  }

  /** The records; empty at the end. A program may keep records, which keeps their memory. */
  public List<StreamRecord> records() {
    return records;
  }

  /** True when the partition is read to its requested end. */
  public boolean isEnd() {
    return isEnd;
  }

  /**
   * For rows and their end: the position at which the service read the rows. The rows, and the gaps
   * between them, include every change up to this position and no change behind it. So a reader of
   * rows and then changes knows which changes the rows include. The position rises while a
   * partition is read. Empty for changes, and if the service does not report it.
   */
  public Optional<Long> rowsAt() {
    return seenIn.rowsAt();
  }

  /** {@link #rowsAt} and {@link #incarnation} together. */
  public SeenIn seenIn() {
    return seenIn;
  }

  /**
   * The incarnation of the partition's log to which the positions of these changes, or {@link
   * #rowsAt}, belong. A program that stores a position stores the incarnation with it, and passes
   * both to {@link ReadStart#knowing}. The incarnation changes seldom: after a restart, or after a
   * loss of changes. Empty if the service does not report it.
   */
  public Optional<Long> incarnation() {
    return seenIn.incarnation();
  }

  /** Delivered bytes, which count against the limit. */
  public int bytes() {
    return bytes;
  }

  /** Allows the service to deliver this many bytes again. Idempotent; for one thread at a time. */
  public void release() {
    if (!isReleased) {
      isReleased = true;
      whenReleased.run();
    }
  }
}
