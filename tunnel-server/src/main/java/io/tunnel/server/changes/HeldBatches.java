package io.tunnel.server.changes;

import io.tunnel.codec.ChangeBatch;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Batches in memory, which were verified when they were parsed.
 *
 * @param batches in order of their positions
 */
record HeldBatches(List<ChangeBatch> batches) implements Extents {

  /** Refuses batches that are not in order. */
  HeldBatches {
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
  public HeldBatches upTo(long position) {
    return new HeldBatches(
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
