package io.tunnel.server.log;

import io.tunnel.codec.ChangeBatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;

/** A group of batches that keep their positions and commit times. */
final class AdoptedGroup {

  private final List<ChangeBatch> batches;
  private final int[] offsets;
  private final Map<Integer, Long> lastPositions = new HashMap<>();
  private long oldestMicros = Long.MAX_VALUE;
  private long newestMicros;

  AdoptedGroup(List<ChangeBatch> batches) {
    this.batches = batches;
    this.offsets = new int[batches.size()];
  }

  /**
   * Refuses positions that are not after those of the log and of the batches before. A batch
   * without rows takes no position.
   */
  void requireRising(IntToLongFunction committed) {
    for (ChangeBatch batch : batches) {
      int partition = batch.partition();
      if (batch.rowCount() == 0) {
        continue;
      }
      oldestMicros = Math.min(oldestMicros, batch.commitMicros());
      long last = lastPositions.computeIfAbsent(partition, committed::applyAsLong);
      if (batch.basePosition() <= last) {
        throw new IllegalArgumentException(
            batch + " does not follow position " + last + " of partition " + partition);
      }
      lastPositions.put(partition, batch.lastPosition());
      newestMicros = Math.max(newestMicros, batch.commitMicros());
    }
  }

  /** Writes the group, which has the time {@code logMicros} if it has no change. */
  void encode(GroupCore.Out out, long syncedOffset, long logMicros) {
    long micros = lastPositions.isEmpty() ? logMicros : oldestMicros;
    GroupCore.writeHeader(out, syncedOffset, micros, byteCount(), offsets.length);
    int offset = LogFormat.GROUP_HEADER_BYTES;
    for (int i = 0; i < offsets.length; i++) {
      ChangeBatch batch = batches.get(i);
      offsets[i] = offset;
      out.write(batch.array(), batch.offset(), batch.byteCount());
      offset += batch.byteCount();
    }
  }

  /** Bytes of its batches. */
  int byteCount() {
    int bytes = 0;
    for (ChangeBatch batch : batches) {
      bytes = Math.addExact(bytes, batch.byteCount());
    }
    return bytes;
  }

  /** Where batch {@code i} starts after the start of the group. */
  int offset(int i) {
    return offsets[i];
  }

  Set<Integer> partitions() {
    return lastPositions.keySet();
  }

  long newestMicros() {
    return newestMicros;
  }
}
