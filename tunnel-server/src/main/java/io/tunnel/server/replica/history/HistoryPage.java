package io.tunnel.server.replica.history;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a stretch of a shared log says to channels.
 *
 * @param from its first position
 * @param next the position behind its last one
 * @param batches the changes that count in it
 * @param micros commit time of the last change in it or before it, as far as that is known
 * @param refusal why {@code from} cannot be delivered; there are no batches then
 */
record HistoryPage(
    int partition,
    long from,
    long next,
    List<ChangeBatch> batches,
    long micros,
    Optional<RefusedException> refusal) {

  /** The bytes charged for a page without changes, to limit the number of such pages. */
  static final int OVERHEAD_BYTES = 16_384;

  /** Refuses what is no stretch. */
  HistoryPage {
    batches = List.copyOf(batches);
    if (from < 0 || next <= from) {
      throw new IllegalArgumentException("a page from " + from + " to " + next);
    }
  }

  /** Bytes that it holds. */
  long bytes() {
    return OVERHEAD_BYTES + batches.stream().mapToLong(ChangeBatch::byteCount).sum();
  }

  /** Whole batches from {@code position} on, no more than {@code bytesMax} beyond the first. */
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
