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
    return AwaitedExtents.INSTANCE;
  }

  /**
   * Batches in memory.
   *
   * @param batches in order of their positions
   */
  static Extents held(List<ChangeBatch> batches) {
    return new HeldBatches(batches);
  }

  /** Whether there is nothing to read. */
  boolean isEmpty();

  /** Whether there is nothing to read only until the batches have been fetched. */
  default boolean isAwaited() {
    return false;
  }

  /** The first of these batches, up to the last one without a change behind {@code position}. */
  Extents upTo(long position);

  /** Bytes of all batches. */
  int bytes();

  /** Position of the first change of the first batch; there must be a batch. */
  long firstPosition();

  /** Position of the last change of the last batch. */
  long lastPosition();

  /**
   * Reads all batches into {@code target}, which has room for {@link #bytes}, and verifies their
   * checksums.
   *
   * @throws io.tunnel.model.RefusedException CORRUPT when a checksum does not match, HISTORY_LOST
   *     when the log gave up the changes after they were located
   */
  void read(ByteBuffer target) throws IOException;
}
