package io.tunnel.server.replica.snapshot;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A log of blocks in memory. Appends wait until {@link #acknowledge} or {@link #lose} is called,
 * unless the log is prompt; a test may change, remove and add blocks.
 */
final class MemoryBlocks implements SnapshotBlocks {

  final TreeMap<Long, Bytes> log = new TreeMap<>();
  final List<Appended> waiting = new ArrayList<>();
  private final boolean isPrompt;

  MemoryBlocks(boolean isPrompt) {
    this.isPrompt = isPrompt;
  }

  @Override
  public void append(int partition, Bytes block, Appended appended) {
    long offset = next();
    log.put(offset, block);
    waiting.add(none -> appended.done(none.isPresent() ? OptionalLong.of(offset) : none));
    if (isPrompt) {
      acknowledge(1);
    }
  }

  long next() {
    return log.isEmpty() ? 100 : log.lastKey() + 2;
  }

  /** Acknowledges the oldest appends. */
  void acknowledge(int count) {
    for (int i = 0; i < count; i++) {
      waiting.remove(0).done(OptionalLong.of(0));
    }
  }

  /** Nobody knows what became of the oldest append. */
  void lose() {
    waiting.remove(0).done(OptionalLong.empty());
  }

  @Override
  public Reading reading(int partition) {
    return offset ->
        Optional.ofNullable(log.ceilingEntry(offset))
            .map(found -> new Found(found.getKey(), found.getValue()));
  }

  @Override
  public CompletableFuture<Void> deleteBefore(int partition, long offset) {
    log.headMap(offset).clear();
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void close() {}

  /** A log with these blocks. */
  static MemoryBlocks of(Map<Long, Bytes> blocks) {
    MemoryBlocks copy = new MemoryBlocks(true);
    copy.log.putAll(blocks);
    return copy;
  }
}
