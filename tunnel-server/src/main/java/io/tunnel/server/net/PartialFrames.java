package io.tunnel.server.net;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory of frames that have begun and are not whole, of all connections. A client that sends
 * its frames to their ends is whole again in a moment; so when there is too much, the frames that
 * began first are given up.
 *
 * <p>Its monitor guards its fields and is held for no call.
 */
final class PartialFrames {

  private final long bytesMax;

  /** In the order in which the frames began. */
  private final Map<Holder, Integer> bytesByHolder = new LinkedHashMap<>();

  private long bytes;

  /** A connection whose frame is not whole. Called by any thread. */
  interface Holder {

    /** Gives the frame up: its memory is counted no more. */
    void crowdedOut();
  }

  PartialFrames(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * The frame of {@code holder} takes {@code held} bytes by now, none when it is whole.
   *
   * @param hasBegun whether it is another frame than the one that was told of last
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

  /** Memory of all frames that are not whole. */
  synchronized long bytes() {
    return bytes;
  }
}
