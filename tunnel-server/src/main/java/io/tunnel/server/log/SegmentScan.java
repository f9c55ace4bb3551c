package io.tunnel.server.log;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.Checksum;
import io.tunnel.codec.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads a segment group by group and verifies every byte.
 *
 * <p>Where the bytes stop being a group, either the machine went down in the middle of a write
 * (torn: what follows was never acknowledged as synced) or durable bytes have changed (corrupt).
 * The two are distinguished by what every group says about its own past: the log offset up to which
 * everything was synced when it was written. If any intact group header further on knows the bad
 * place as synced, it is corrupt and must not be cut away.
 */
final class SegmentScan {

  private final Segment segment;
  private long at;
  private byte[] group = new byte[0];

  /** What the last group that was read says of its past; 0 when none was read. */
  private long syncedUpTo;

  SegmentScan(Segment segment, long fromOffset) {
    this.segment = segment;
    this.at = fromOffset;
  }

  /** Receives every batch of an intact group, with its offset in the segment's file. */
  @FunctionalInterface
  interface Visitor {
    /** A batch with rows. */
    void batch(ChangeBatch batch, int fileOffset) throws IOException;

    /** A batch without rows, which says what writers of rows of the group were answered. */
    default void answers(ChangeBatch batch) throws IOException {}
  }

  /** Where the next group starts: after the last intact one. */
  long offset() {
    return at;
  }

  /**
   * Log offset up to which everything was synced when the last group that was read was written.
   * What the file holds of the later bytes may be in the machine's memory alone.
   */
  long syncedUpTo() {
    return syncedUpTo;
  }

  /** Reads the next group; false when there is no further intact one. */
  boolean next(Visitor visitor) throws IOException {
    byte[] header = readHeader(at);
    if (header == null) {
      return false;
    }
    int bytes = Binary.getInt(header, 24);
    if (bytes < 0 || bytes > segment.size() - at - LogFormat.GROUP_HEADER_BYTES) {
      return false;
    }
    if (group.length < bytes) {
      group = new byte[bytes];
    }
    long batchesAt = at + LogFormat.GROUP_HEADER_BYTES;
    segment.read(ByteBuffer.wrap(group, 0, bytes), batchesAt);
    if (!areIntact(bytes, Binary.getInt(header, 28))) {
      return false;
    }
    for (int offset = 0; offset < bytes; ) {
      ChangeBatch batch = ChangeBatch.parse(group, offset, bytes);
      if (batch.rowCount() > 0) {
        visitor.batch(batch, (int) (batchesAt + offset));
      } else if (batch.partition() != LogFormat.FILLER_PARTITION) {
        visitor.answers(batch);
      }
      offset += batch.byteCount();
    }
    at = batchesAt + bytes;
    syncedUpTo = Binary.getLong(header, 8);
    return true;
  }

  private boolean areIntact(int bytes, int batchCount) {
    try {
      int count = 0;
      for (int offset = 0; offset < bytes; count++) {
        offset += ChangeBatch.parse(group, offset, bytes).byteCount();
      }
      return count == batchCount;
    } catch (MalformedException e) {
      return false;
    }
  }

  /** Commit time of the group at {@code offset}; the lowest there is when its header is damaged. */
  static long commitMicrosAt(Segment segment, long offset) throws IOException {
    byte[] header = new SegmentScan(segment, offset).readHeader(offset);
    return header == null ? Long.MIN_VALUE : Binary.getLong(header, 16);
  }

  /** Reads the group header at {@code offset}; null if no intact header is there. */
  byte[] readHeader(long offset) throws IOException {
    if (segment.size() - offset < LogFormat.GROUP_HEADER_BYTES) {
      return null;
    }
    byte[] header = new byte[LogFormat.GROUP_HEADER_BYTES];
    segment.read(ByteBuffer.wrap(header), offset);
    boolean intact =
        Binary.getInt(header, 0) == LogFormat.GROUP_MAGIC
            && Binary.getInt(header, 4)
                == Checksum.crc32c(header, 8, LogFormat.GROUP_HEADER_BYTES - 8);
    return intact ? header : null;
  }

  /** Throws when what follows {@link #offset} was durable once; otherwise it may be cut off. */
  void requireTorn() throws IOException {
    long bad = segment.base() + at;
    for (long offset = at + 1; offset < segment.size(); offset++) {
      offset = nextMagic(offset);
      byte[] header = offset < 0 ? null : readHeader(offset);
      if (offset < 0) {
        return;
      }
      if (header != null && Binary.getLong(header, 8) > bad) {
        throw new CorruptLogException(
            "the log is damaged at offset "
                + bad
                + " (file "
                + LogFormat.segmentName(segment.base())
                + ", byte "
                + at
                + "): these bytes were durable, for the group at offset "
                + (segment.base() + offset)
                + " was written after they were synced. Nothing was changed; restore the file from"
                + " a copy, or delete what is damaged: ./tunnel doctor --salvage");
      }
    }
  }

  /** Offset of the next bytes that spell a group's magic number, or -1. */
  long nextMagic(long from) throws IOException {
    byte[] window = new byte[64 * 1024];
    long start = from;
    while (segment.size() - start >= 4) {
      int count = (int) Math.min(window.length, segment.size() - start);
      segment.read(ByteBuffer.wrap(window, 0, count), start);
      for (int i = 0; i + 4 <= count; i++) {
        if (Binary.getInt(window, i) == LogFormat.GROUP_MAGIC) {
          return start + i;
        }
      }
      start += count - 3;
    }
    return -1;
  }
}
