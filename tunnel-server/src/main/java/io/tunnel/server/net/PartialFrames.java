package io.tunnel.server.net;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory of incomplete frames of all connections. A working client completes its frame within
 * moments; so when the memory exceeds its limit, the connections with the oldest frames are closed.
 *
 * <p>The monitor guards the fields; no other object is called under it.
 */
final class PartialFrames {

  private final long bytesMax;

  /** In the order in which the frames began. */
  private final Map<Holder, Integer> bytesByHolder = new LinkedHashMap<>();

  private long bytes;

  /** A connection with an incomplete frame. Called by any thread. */
  interface Holder {

    /** Drops the frame; its memory is no longer counted. */
    void crowdedOut();
  }

  PartialFrames(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * The frame of {@code holder} takes {@code held} bytes now; 0 when it is complete.
   *
   * @param hasBegun whether a new frame has begun since the last call
   */
  void holds(Holder holder, int held, boolean hasBegun) {
    note(holder, held, hasBegun).forEach(Holder::crowdedOut);
  }

  private synchronized List<Holder> note(Holder holder, int held, boolean hasBegun) {
    Integer before = hasBegun || held == 0 ? bytesByHolder.remove(holder) : null;
    if (held > 0) {
      Integer replaced = bytesByHolder.put(holder, held);
      before = before == null ? replaced : before;
    }
    bytes += held - (before == null ? 0 : before);
    return bytes > bytesMax ? giveUpOldest() : List.of();
  }

  private List<Holder> giveUpOldest() {
    List<Holder> givenUp = new ArrayList<>();
    Iterator<Map.Entry<Holder, Integer>> oldest = bytesByHolder.entrySet().iterator();
    while (bytes > bytesMax && oldest.hasNext()) {
      Map.Entry<Holder, Integer> next = oldest.next();
      bytes -= next.getValue();
      givenUp.add(next.getKey());
      oldest.remove();
    }
    return givenUp;
  }

  /** Memory of all incomplete frames. */
  synchronized long bytes() {
    return bytes;
  }
}
