package io.tunnel.sdk.worker.input;

import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Changes that were left out and are not known to be stored yet. Each goes with every checkpoint
 * that passes it, until one of these is known to be stored; so none is passed without a word. When
 * the channel ends before that, its next holder meets the change again.
 */
public final class SkipsCore {

  private final TreeMap<Long, Skip> unstored = new TreeMap<>();

  public void add(Skip skip) {
    unstored.put(skip.position(), skip);
  }

  /** Whether no more may be left out before a checkpoint is stored. */
  public boolean isFull() {
    return unstored.size() >= SkippingCheckpoint.SKIPPED_MAX;
  }

  /** What a checkpoint at {@code position} passes, in order. */
  public List<Skip> upTo(long position) {
    return List.copyOf(unstored.headMap(position, true).values());
  }

  /** A checkpoint at {@code position} is stored, with what it passed. */
  public void stored(long position) {
    Map<Long, Skip> passed = unstored.headMap(position, true);
    passed.clear();
  }
}
