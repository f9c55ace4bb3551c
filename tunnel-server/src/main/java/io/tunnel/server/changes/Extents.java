package io.tunnel.server.changes;

import io.tunnel.codec.ChangeBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Batches of one partition that may be delivered, in order. Where they stand is known, or they are
 * held in memory; nothing is read before it is asked for.
 */
public interface Extents {

  /** Nothing yet: what there is, is being read, and subscribers of the partition are told then. */
  static Extents awaited() {
    return AwaitedExtents.INSTANCE;
  }

  /**
   * Batches that are in memory already.
   *
   * @param batches in order of their positions
   */
  static Extents held(List<ChangeBatch> batches) {
    return new HeldBatches(batches);
  }

  /** Whether there is nothing to read. */
  boolean isEmpty();

  /** Whether that is so only until what there is has been read. */
  default boolean isAwaited() {
    return false;
  }

  /** Those of the batches, from the first on, that hold no change behind {@code position}. */
  Extents upTo(long position);

  /** Bytes of all batches. */
  int bytes();

  /** Position of the first change of the first batch; there is one. */
  long firstPosition();

  /** Position of the last change in them. */
  long lastPosition();

  /**
   * Reads all batches into {@code target}, which has room for {@link #bytes}; their checksums are
   * verified.
   *
   * @throws io.tunnel.model.RefusedException CORRUPT when a checksum does not match, HISTORY_LOST
   *     when the changes were given up since they were planned
   */
  void read(ByteBuffer target) throws IOException;
}
