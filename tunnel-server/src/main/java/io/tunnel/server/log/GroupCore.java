package io.tunnel.server.log;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.WrittenRows;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/**
 * Batches that enter the log together: written back to back, synced once. Small batches of one
 * partition with the same dictionary are merged, so that many small writers cost the readers no
 * more than one large writer. A batch with attributes stays alone: they speak of that batch.
 *
 * <p>What writers are to be answered again is no reader's business: it stands in batches without
 * rows, one for each batch that is an idempotent write, after all batches of the group. No index
 * has these answers, so no reader of changes meets them.
 *
 * <p>Order: batches of one partition keep the order in which they were added. Use: add, {@link
 * #encode}, then read the results, then {@link #clear}.
 */
public final class GroupCore {

  /** A batch whose writers take so much takes no further writer. */
  private static final int WRITERS_BYTES_MAX = 16 << 10;

  private final int mergedBytesMax;
  private final List<Merged> merged = new ArrayList<>();
  private final Map<Integer, Merged> openByPartition = new HashMap<>();

  /** Of batches whose rows were all rejected; only a log that nodes share writes the answers. */
  private final List<Attribution> rejected = new ArrayList<>();

  private int rejectedBytes;
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
    return add(batch, Optional.empty());
  }

  /**
   * The number that a writer has given to a batch.
   *
   * @param writer who wrote the batch
   * @param answer which rows of the writer's batch were rejected
   */
  public record Attribution(Bytes writer, long number, Bytes answer) {}

  /** As {@link #add(ChangeBatch)}, for a batch that may be an idempotent write. */
  public int add(ChangeBatch batch, Optional<Attribution> number) {
    Merged open = openByPartition.get(batch.partition());
    if (open == null || !open.accepts(batch, mergedBytesMax)) {
      open = new Merged(batch);
      openByPartition.put(batch.partition(), open);
      merged.add(open);
    } else {
      byteCount -= open.bytes() + open.answersBytes();
    }
    open.add(batch, batchCount, number);
    byteCount += open.bytes() + open.answersBytes();
    return batchCount++;
  }

  /** Adds the answer to an idempotent write whose rows were all rejected. */
  public void reject(Attribution number) {
    rejected.add(number);
    rejectedBytes += WrittenRows.WRITER_BYTES + Long.BYTES + number.answer().length();
  }

  /** Whether no batch was added. */
  public boolean isEmpty() {
    return batchCount == 0;
  }

  /** Bytes of its batches as they will stand in the log. */
  public int byteCount() {
    return byteCount;
  }

  /** Bytes that the group holds, answers to rejected batches included. */
  public int heldBytes() {
    return byteCount + rejectedBytes;
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
    rejected.clear();
    rejectedBytes = 0;
    batchCount = 0;
    byteCount = 0;
  }

  /**
   * Writes the group, and gives every batch its positions and its commit time.
   *
   * @param commitMicros the commit time of a partition's changes
   * @param nextPositions the next position of each partition; advanced
   * @param firstPositions filled with the first position of each added batch, by its number
   */
  void encode(
      Out out,
      long syncedOffset,
      IntToLongFunction commitMicros,
      PositionCounter nextPositions,
      long[] firstPositions) {
    int bytes = 0;
    int count = merged.size();
    long oldestMicros = Long.MAX_VALUE;
    for (Merged batch : merged) {
      batch.commitMicros = commitMicros.applyAsLong(batch.partition);
      oldestMicros = Math.min(oldestMicros, batch.commitMicros);
      batch.offsetInGroup = LogFormat.GROUP_HEADER_BYTES + bytes;
      bytes += batch.bytes();
      count += batch.answersBytes() > 0 ? 1 : 0;
    }
    writeHeader(out, syncedOffset, oldestMicros, byteCount, count);
    writeBatches(out, nextPositions, firstPositions);
  }

  private void writeBatches(Out out, PositionCounter nextPositions, long[] firstPositions) {
    for (Merged batch : merged) {
      batch.write(out, nextPositions.take(batch.partition, batch.rowCount), firstPositions);
    }
    for (Merged batch : merged) {
      batch.writeAnswers(out);
    }
  }

  /**
   * The batches of a group of one partition, as a record of a log of appends has them: complete,
   * back to back, the answers to writers last. Gives every batch its positions and its commit time.
   * Batches whose rows were all rejected have an answer there, too: a repetition that meets a
   * leader who does not know the answer would be applied.
   *
   * @param first the position of the first change
   * @param firstPositions filled with the first position of each added batch, by its number
   */
  public byte[] encodeAppend(int partition, long commitMicros, long first, long[] firstPositions) {
    ByteSink sink = new ByteSink(heldBytes());
    long[] next = {first};
    merged.forEach(batch -> batch.commitMicros = commitMicros);
    writeBatches(
        sink::write,
        (ofPartition, count) -> {
          next[0] += count;
          return next[0] - count;
        },
        firstPositions);
    if (!rejected.isEmpty()) {
      ByteSink writers = new ByteSink(rejectedBytes);
      rejected.forEach(
          of -> new WrittenRows(0, 0, of.writer(), of.number(), of.answer()).write(writers, 0));
      writeAnswers(sink::write, writers, partition, next[0], commitMicros);
    }
    return sink.toByteArray();
  }

  /** Writes a batch without rows that says who wrote which rows, and what was answered. */
  private static void writeAnswers(
      Out out, ByteSink writers, int partition, long position, long commitMicros) {
    Bytes value = Bytes.copyOf(writers.array(), 0, writers.size());
    byte[] batch =
        BatchBuilder.withoutRows(partition, FormatFeature.WRITTEN, value, position, commitMicros);
    out.write(batch, 0, batch.length);
  }

  /** Bytes of the batch that {@link #writeAnswers} writes. */
  private static int answersBytes(ByteSink writers) {
    return ChangeBatch.HEADER_BYTES_MIN
        + Binary.varintBytes(FormatFeature.WRITTEN.number())
        + Binary.varintBytes(writers.size())
        + writers.size()
        + Attributes.LENGTH_BYTES;
  }

  /** The changes of all batches. */
  public int changes() {
    return merged.stream().mapToInt(Merged::rowCount).sum();
  }

  /** Takes the bytes of a group, from the first to the last. */
  @FunctionalInterface
  interface Out {
    /** Takes {@code length} bytes of {@code source}, which may change after. */
    void write(byte[] source, int offset, int length);
  }

  /** Writes the header of a group of {@code batchCount} batches, {@code bytes} together. */
  static void writeHeader(
      Out out, long syncedOffset, long commitMicros, int bytes, int batchCount) {
    byte[] header = new byte[LogFormat.GROUP_HEADER_BYTES];
    Binary.putInt(header, 0, LogFormat.GROUP_MAGIC);
    Binary.putLong(header, 8, syncedOffset);
    Binary.putLong(header, 16, commitMicros);
    Binary.putInt(header, 24, bytes);
    Binary.putInt(header, 28, batchCount);
    Binary.putInt(header, 4, Checksum.crc32c(header, 8, header.length - 8));
    out.write(header, 0, header.length);
  }

  /** Batches added, which is the least length of {@code firstPositions}. */
  public int batchCount() {
    return batchCount;
  }

  /** Hands out positions. */
  @FunctionalInterface
  interface PositionCounter {
    /** The first of {@code count} positions of the partition that no change has had. */
    long take(int partition, int count);
  }

  /** Added batches of one partition that stand in the log as one. */
  public static final class Merged {
    private final int partition;
    private final List<ChangeBatch> parts = new ArrayList<>(1);
    private final List<Integer> numbers = new ArrayList<>(1);
    private final int dictionaryBytes;

    /** What is said of the only batch, but for its writer; empty when batches may be merged. */
    private final Bytes attributes;

    /** The writers of the rows and their numbers, in the form of {@link WrittenRows}. */
    private final ByteSink writers = new ByteSink(0);

    /** The rows that {@link #writers} speaks of end here. */
    private int writersEnd;

    private int rowCount;
    private int rowsBytes;
    private int offsetInGroup;
    private long firstPosition;
    private long commitMicros;

    private Merged(ChangeBatch first) {
      this.partition = first.partition();
      this.dictionaryBytes = first.dictionaryBytes();
      this.attributes = withoutWriter(first);
    }

    private boolean accepts(ChangeBatch batch, int bytesMax) {
      ChangeBatch first = parts.get(0);
      return ChangeBatch.HEADER_BYTES_MIN + rowsBytes + batch.rowsBytes() + dictionaryBytes
              <= bytesMax
          && rowCount + batch.rowCount() <= Limits.BATCH_ROWS_MAX
          && attributes.length() == 0
          && withoutWriter(batch).length() == 0
          && writers.size() < WRITERS_BYTES_MAX
          && batch.nameCount() == first.nameCount()
          && Arrays.equals(
              first.array(),
              first.dictionaryOffset(),
              first.dictionaryOffset() + dictionaryBytes,
              batch.array(),
              batch.dictionaryOffset(),
              batch.dictionaryOffset() + batch.dictionaryBytes());
    }

    private static Bytes withoutWriter(ChangeBatch batch) {
      return batch.hasAttributes()
          ? Attributes.without(FormatFeature.WRITER.number(), batch.attributes())
          : Bytes.EMPTY;
    }

    private void add(ChangeBatch batch, int index, Optional<Attribution> number) {
      parts.add(batch);
      numbers.add(index);
      if (number.isPresent()) {
        Attribution of = number.get();
        new WrittenRows(rowCount, batch.rowCount(), of.writer(), of.number(), of.answer())
            .write(writers, writersEnd);
        writersEnd = rowCount + batch.rowCount();
      }
      rowCount += batch.rowCount();
      rowsBytes += batch.rowsBytes();
    }

    private void write(Out out, long position, long[] firstPositions) {
      firstPosition = position;
      byte[] header = new byte[ChangeBatch.HEADER_BYTES_MIN];
      int nameCount = parts.get(0).nameCount();
      BatchBuilder.writeHeader(header, 0, bytes(), nameCount, partition, rowCount, rowsBytes);
      if (attributesBytes() > 0) {
        BatchBuilder.haveAttributes(header, 0);
      }
      BatchBuilder.stampHeader(
          header, position, commitMicros, crc -> writeRowsAndNames(crc::update));
      out.write(header, 0, header.length);
      writeRowsAndNames(out);
      long next = position;
      for (int i = 0; i < parts.size(); i++) {
        ChangeBatch part = parts.get(i);
        firstPositions[numbers.get(i)] = next;
        next += part.rowCount();
        // A fold of the batch in memory leaves the same rows as a replay of the log.
        BatchBuilder.date(part.array(), part.offset(), commitMicros);
      }
    }

    private void writeRowsAndNames(Out out) {
      for (ChangeBatch part : parts) {
        out.write(part.array(), part.rowsOffset(), part.rowsBytes());
      }
      ChangeBatch first = parts.get(0);
      out.write(first.array(), first.dictionaryOffset(), dictionaryBytes);
      if (attributesBytes() > 0) {
        ByteSink list = new ByteSink(attributesBytes());
        Attributes.writeBehind(list, attributes);
        out.write(list.array(), 0, list.size());
      }
    }

    private void writeAnswers(Out out) {
      if (writers.size() > 0) {
        GroupCore.writeAnswers(out, writers, partition, firstPosition, commitMicros);
      }
    }

    /** Bytes after the dictionary. */
    private int attributesBytes() {
      return attributes.length() == 0 ? 0 : attributes.length() + Attributes.LENGTH_BYTES;
    }

    private int answersBytes() {
      return writers.size() == 0 ? 0 : GroupCore.answersBytes(writers);
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
      return ChangeBatch.HEADER_BYTES_MIN + rowsBytes + dictionaryBytes + attributesBytes();
    }

    int offsetInGroup() {
      return offsetInGroup;
    }

    long firstPosition() {
      return firstPosition;
    }

    long commitMicros() {
      return commitMicros;
    }
  }
}
