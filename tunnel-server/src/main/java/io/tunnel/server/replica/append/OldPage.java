package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Old changes of a partition in memory: complete batches, as the log has them.
 *
 * @param from the first position
 * @param next the position after the last one
 * @param batches dense, from {@code from} on
 * @param heldBytes of the records that the batches are in, which stay in memory completely
 * @param nextOffset the offset after the last record
 * @param refusal why {@code from} cannot be delivered; the page has no batches then
 */
record OldPage(
    int partition,
    long from,
    long next,
    List<ChangeBatch> batches,
    long heldBytes,
    long nextOffset,
    Optional<RefusedException> refusal) {

  /** What a page takes in memory in addition to its records, about; bounds the number of pages. */
  static final int PAGE_BYTES = 4_096;

  /** What a batch takes in memory in addition to its bytes, about. */
  static final int BATCH_BYTES = 100;

  /** Refuses positions in the wrong order. */
  OldPage {
    batches = List.copyOf(batches);
    if (from < 0 || next <= from) {
      throw new IllegalArgumentException("a page from " + from + " to " + next);
    }
  }

  /** A page that says why a position cannot be delivered. */
  static OldPage refused(int partition, long position, RefusedException reason) {
    return new OldPage(partition, position, position + 1, List.of(), 0, 0, Optional.of(reason));
  }

  /** Bytes in memory, about. */
  long bytes() {
    return PAGE_BYTES + heldBytes + (long) BATCH_BYTES * batches.size();
  }

  /** Complete batches from {@code position} on, at most {@code bytesMax} bytes after the first. */
  List<ChangeBatch> plan(long position, int bytesMax) {
    List<ChangeBatch> planned = new ArrayList<>();
    long left = bytesMax;
    for (ChangeBatch batch : batches) {
      if (batch.lastPosition() >= position) {
        left -= batch.byteCount();
        if (left < 0 && !planned.isEmpty()) {
          break;
        }
        planned.add(batch);
      }
    }
    return planned;
  }
}
