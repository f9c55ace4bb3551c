package io.tunnel.sdk.worker.input;

import io.tunnel.codec.Utf8;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Changes that were left out and are not known to be stored yet. Each goes with every checkpoint
 * that passes it, until one of these is known to be stored; so none is passed without a word. When
 * the channel ends before that, its next holder meets the change again.
 */
public final class SkipsCore {

  /**
   * Encoded bytes up to which more may be left out. One more is far below the other half of a
   * frame: its key and its error are bounded.
   */
  static final int BYTES_MAX = Frame.PAYLOAD_BYTES_MAX / 2;

  private final TreeMap<Long, Sized> unstored = new TreeMap<>();
  private long bytes;

  /** With the bytes that it has in a checkpoint. */
  private record Sized(Skip skip, int bytes) {}

  public void add(Skip skip) {
    Sized added = new Sized(skip, Utf8.encode(Json.toText(skip)).length + 1);
    Sized former = unstored.put(skip.position(), added);
    bytes += added.bytes() - (former == null ? 0 : former.bytes());
  }

  /** Whether no more may be left out before a checkpoint is stored: one could not hold them. */
  public boolean isFull() {
    return unstored.size() >= SkippingCheckpoint.SKIPPED_MAX || bytes >= BYTES_MAX;
  }

  /** What a checkpoint at {@code position} passes, in order. */
  public List<Skip> upTo(long position) {
    return unstored.headMap(position, true).values().stream().map(Sized::skip).toList();
  }

  /** A checkpoint at {@code position} is stored, with what it passed. */
  public void stored(long position) {
    Map<Long, Sized> passed = unstored.headMap(position, true);
    for (Sized each : passed.values()) {
      bytes -= each.bytes();
    }
    passed.clear();
  }
}
