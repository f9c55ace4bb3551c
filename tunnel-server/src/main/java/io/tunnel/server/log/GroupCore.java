package io.tunnel.server.log;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.model.Limits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Batches that enter the log together: written back to back, synced once. Small batches of one
 * partition with the same dictionary are merged, so that many small writers cost the readers no
 * more than one large writer.
 *
 * <p>Order: batches of one partition keep the order in which they were added. Use: add, {@link
 * #encode}, then read the results, then {@link #clear}.
 */
public final class GroupCore {

  private final int mergedBytesMax;
  private final List<Merged> merged = new ArrayList<>();
  private final Map<Integer, Merged> openByPartition = new HashMap<>();
  private int batchCount;
  private int byteCount;

  /** A group that merges batches up to {@code mergedBytesMax} bytes. */
  public GroupCore(int mergedBytesMax) {
    this.mergedBytesMax = mergedBytesMax;
  }

  /**
   * Adds a batch, which must not change before {@link #clear}; returns its number in this group.
   */
  public int add(ChangeBatch batch) {
    Merged open = openByPartition.get(batch.partition());
    if (open == null || !open.accepts(batch, mergedBytesMax)) {
      open = new Merged(batch);
      openByPartition.put(batch.partition(), open);
      merged.add(open);
      byteCount += batch.byteCount();
    } else {
      byteCount += batch.rowsBytes();
    }
    open.add(batch, batchCount);
    return batchCount++;
  }

  /** Whether there is nothing in it. */
  public boolean isEmpty() {
    return batchCount == 0;
  }

  /** Bytes of its batches as they will stand in the log. */
  public int byteCount() {
    return byteCount;
  }

  /**
   * The merged batches in the order in which they stand in the log; positions are set by {@link
   * #encode}.
   */
  public List<Merged> batches() {
    return merged;
  }

  /** Forgets everything. */
  public void clear() {
    merged.clear();
    openByPartition.clear();
    batchCount = 0;
    byteCount = 0;
  }

  /**
   * Writes the group and gives every batch its positions.
   *
   * @param nextPositions the next position of each partition; advanced
   * @param firstPositions filled with the first position of each added batch, by its number
   */
  void encode(
      ByteSink out,
      long syncedOffset,
      long commitMicros,
      PositionCounter nextPositions,
      long[] firstPositions) {
    int header = out.skip(LogFormat.GROUP_HEADER_BYTES);
    for (Merged batch : merged) {
      batch.offsetInGroup = out.size() - header;
      batch.write(
          out, nextPositions.take(batch.partition, batch.rowCount), commitMicros, firstPositions);
    }
    writeHeader(out, header, syncedOffset, commitMicros, merged.size());
  }

  /** Fills in the header of the group whose batches end where {@code out} does. */
  static void writeHeader(
      ByteSink out, int header, long syncedOffset, long commitMicros, int batchCount) {
    byte[] array = out.array();
    int batchesFrom = header + LogFormat.GROUP_HEADER_BYTES;
    Binary.putInt(array, header, LogFormat.GROUP_MAGIC);
    Binary.putLong(array, header + 8, syncedOffset);
    Binary.putLong(array, header + 16, commitMicros);
    Binary.putInt(array, header + 24, out.size() - batchesFrom);
    Binary.putInt(array, header + 28, batchCount);
    Binary.putInt(
        array, header + 4, Checksum.crc32c(array, header + 8, LogFormat.GROUP_HEADER_BYTES - 8));
  }

  /** Batches added, which is the least length of {@code firstPositions}. */
  public int batchCount() {
    return batchCount;
  }

  /** Hands out positions. */
  @FunctionalInterface
  interface PositionCounter {
    /** The first of {@code count} positions of the partition that nobody has had. */
    long take(int partition, int count);
  }

  /** Added batches of one partition that stand in the log as one. */
  public static final class Merged {
    private final int partition;
    private final List<ChangeBatch> parts = new ArrayList<>(1);
    private final List<Integer> numbers = new ArrayList<>(1);
    private final int dictionaryBytes;
    private int rowCount;
    private int rowsBytes;
    private int bytes;
    private int offsetInGroup;
    private long firstPosition;

    private Merged(ChangeBatch first) {
      this.partition = first.partition();
      this.dictionaryBytes = first.dictionaryBytes();
    }

    private boolean accepts(ChangeBatch batch, int bytesMax) {
      ChangeBatch first = parts.get(0);
      return ChangeBatch.HEADER_BYTES_MIN + rowsBytes + batch.rowsBytes() + dictionaryBytes
              <= bytesMax
          && rowCount + batch.rowCount() <= Limits.BATCH_ROWS_MAX
          && batch.nameCount() == first.nameCount()
          && Arrays.equals(
              first.array(),
              first.dictionaryOffset(),
              first.dictionaryOffset() + dictionaryBytes,
              batch.array(),
              batch.dictionaryOffset(),
              batch.dictionaryOffset() + batch.dictionaryBytes());
    }

    private void add(ChangeBatch batch, int number) {
      parts.add(batch);
      numbers.add(number);
      rowCount += batch.rowCount();
      rowsBytes += batch.rowsBytes();
    }

    private void write(ByteSink out, long position, long commitMicros, long[] firstPositions) {
      firstPosition = position;
      int at = out.skip(ChangeBatch.HEADER_BYTES_MIN);
      long next = position;
      for (int i = 0; i < parts.size(); i++) {
        ChangeBatch part = parts.get(i);
        out.write(part.array(), part.rowsOffset(), part.rowsBytes());
        firstPositions[numbers.get(i)] = next;
        next += part.rowCount();
      }
      ChangeBatch first = parts.get(0);
      out.write(first.array(), first.dictionaryOffset(), dictionaryBytes);
      bytes = out.size() - at;
      BatchBuilder.writeHeader(
          out.array(), at, bytes, first.nameCount(), partition, rowCount, rowsBytes);
      BatchBuilder.stamp(out.array(), at, position, commitMicros);
    }

    /** The partition. */
    public int partition() {
      return partition;
    }

    /** The batches it was merged from, in order. */
    public List<ChangeBatch> parts() {
      return parts;
    }

    int rowCount() {
      return rowCount;
    }

    int bytes() {
      return bytes;
    }

    int offsetInGroup() {
      return offsetInGroup;
    }

    long firstPosition() {
      return firstPosition;
    }
  }
}
