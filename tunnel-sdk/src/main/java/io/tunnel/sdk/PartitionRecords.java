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
 * Some records of one partition, in order, or the news that there are no more. Their bytes count
 * against the partition's limit until they are {@linkplain #release released}.
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
   * What the service says of the positions of some records.
   *
   * @param rowsAt see {@link PartitionRecords#rowsAt}
   * @param incarnation see {@link PartitionRecords#incarnation}
   */
  public record SeenIn(Optional<Long> rowsAt, Optional<Long> incarnation) {

    /** Nothing. */
    public static final SeenIn NOTHING = new SeenIn(Optional.empty(), Optional.empty());
  }

  /** Records of a partition; the SDK makes these, and so may a test of who reads. */
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
                  // A batch comes whole also when reading goes on, or ends, inside it.
                  if (position >= delivery.firstPosition() && position <= end) {
                    records.add(new StreamRecord(row, position, keys));
                  }
                }
              }
            });
    return records;
  }

  /** What was asked for with {@link PartitionReader#start}. */
  public ReadStart start() {
    return start;
  }

  /** The records; none at the end. They may be kept, and keep their bytes then. */
  public List<StreamRecord> records() {
    return records;
  }

  /** Whether everything of the partition that was asked for has come. */
  public boolean isEnd() {
    return isEnd;
  }

  /**
   * Of rows, and of their end: the position at which they were read. The rows, and that there are
   * none between and behind them, hold every change up to it and none of those behind it. So a
   * reader of rows and then changes knows of each change whether the row had it. It rises while a
   * partition is read. Empty for changes, and of a service that does not tell.
   */
  public Optional<Long> rowsAt() {
    return seenIn.rowsAt();
  }

  /** Both of what is said of the positions. */
  public SeenIn seenIn() {
    return seenIn;
  }

  /**
   * In which life of the partition's log these positions are those of these changes, or of {@link
   * #rowsAt}. Who keeps a position keeps this with it, and says both when it {@linkplain
   * ReadStart#knowing comes back}. It changes seldom: after a restart, or when changes were lost.
   * Empty of a service that does not tell.
   */
  public Optional<Long> incarnation() {
    return seenIn.incarnation();
  }

  /** What was delivered, and counts against the limit. */
  public int bytes() {
    return bytes;
  }

  /** As much may be delivered again. Idempotent; for one thread at a time. */
  public void release() {
    if (!isReleased) {
      isReleased = true;
      whenReleased.run();
    }
  }
}
