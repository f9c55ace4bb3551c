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
 * The skipped changes of a channel whose checkpoint is not stored yet. Each checkpoint at or behind
 * a skipped change reports the change, until a checkpoint is stored; so no skip goes unreported.
 * When the channel ends earlier, its next holder gets the change again.
 */
public final class SkipsCore {

  /**
   * Encoded bytes of skips at which the core is full. The last skip may exceed this limit by its
   * bounded key and error, which are far smaller than the other half of a frame.
   */
  static final int BYTES_MAX = Frame.PAYLOAD_BYTES_MAX / 2;

  private final TreeMap<Long, Sized> unstored = new TreeMap<>();
  private long bytes;

  /** A skip and its encoded size in a checkpoint. */
  private record Sized(Skip skip, int bytes) {}

  public void add(Skip skip) {
    Sized added = new Sized(skip, Utf8.encode(Json.toText(skip)).length + 1);
    Sized former = unstored.put(skip.position(), added);
    bytes += added.bytes() - (former == null ? 0 : former.bytes());
  }

  /** True when a checkpoint must be stored before the next skip: a frame could not hold more. */
  public boolean isFull() {
    return unstored.size() >= SkippingCheckpoint.SKIPPED_MAX || bytes >= BYTES_MAX;
  }

  /** The skips up to {@code position}, in order. */
  public List<Skip> upTo(long position) {
    return unstored.headMap(position, true).values().stream().map(Sized::skip).toList();
  }

  /** A checkpoint at {@code position} is stored with its skips. */
  public void stored(long position) {
    Map<Long, Sized> passed = unstored.headMap(position, true);
    for (Sized each : passed.values()) {
      bytes -= each.bytes();
    }
    passed.clear();
  }
}
