package io.tunnel.server.changes;

import io.tunnel.codec.ChangeBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Consecutive batches of one partition, located in files or held in memory; {@link #read} reads
 * them.
 */
public interface Extents {

  /**
   * Nothing yet: the batches are being fetched, and the partition's listeners are called when they
   * have arrived.
   */
  static Extents awaited() {
    return Awaited.INSTANCE;
  }

  /**
   * Batches in memory.
   *
   * @param batches in order of their positions
   */
  static Extents held(List<ChangeBatch> batches) {
    return new Held(batches);
  }

  /** Whether there is nothing to read. */
  boolean isEmpty();

  /** Whether there is nothing to read only until the batches have been fetched. */
  default boolean isAwaited() {
    return false;
  }

  /** The first of these batches, up to the last one without a change after {@code position}. */
  Extents upTo(long position);

  /** Bytes of all batches. */
  int bytes();

  /** Position of the first change of the first batch; there must be a batch. */
  long firstPosition();

  /** Position of the last change of the last batch. */
  long lastPosition();

  /**
   * Reads all batches into {@code target}, which has space for {@link #bytes}, and verifies their
   * checksums.
   *
   * @throws io.tunnel.model.RefusedException CORRUPT when a checksum does not match, HISTORY_LOST
   *     when the log trimmed the changes after they were located
   */
  void read(ByteBuffer target) throws IOException;

  /** See {@link Extents#awaited}. */
  enum Awaited implements Extents {
    INSTANCE;

    @Override
    public boolean isEmpty() {
      return true;
    }

    @Override
    public boolean isAwaited() {
      return true;
    }

    @Override
    public Extents upTo(long position) {
      return this;
    }

    @Override
    public int bytes() {
      return 0;
    }

    @Override
    public long firstPosition() {
      throw new IllegalStateException("awaited batches have no position");
    }

    @Override
    public long lastPosition() {
      return 0;
    }

    @Override
    public void read(ByteBuffer target) {
      // Nothing to read.
    }
  }

  /**
   * Batches in memory, which were verified when they were parsed.
   *
   * @param batches in order of their positions
   */
  record Held(List<ChangeBatch> batches) implements Extents {

    /** Refuses batches that are not in order. */
    public Held {
      batches = List.copyOf(batches);
      for (int i = 1; i < batches.size(); i++) {
        if (batches.get(i).basePosition() <= batches.get(i - 1).lastPosition()) {
          throw new IllegalArgumentException(
              "position "
                  + batches.get(i).basePosition()
                  + " behind "
                  + batches.get(i - 1).lastPosition());
        }
      }
    }

    @Override
    public boolean isEmpty() {
      return batches.isEmpty();
    }

    @Override
    public Held upTo(long position) {
      return new Held(
          batches.stream().takeWhile(batch -> batch.lastPosition() <= position).toList());
    }

    @Override
    public int bytes() {
      return batches.stream().mapToInt(ChangeBatch::byteCount).sum();
    }

    @Override
    public long firstPosition() {
      return batches.get(0).basePosition();
    }

    @Override
    public long lastPosition() {
      return batches.isEmpty() ? 0 : batches.get(batches.size() - 1).lastPosition();
    }

    @Override
    public void read(ByteBuffer target) {
      for (ChangeBatch batch : batches) {
        target.put(batch.array(), batch.offset(), batch.byteCount());
      }
    }
  }
}
