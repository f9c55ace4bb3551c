package io.tunnel.server.net.delivery;

import io.tunnel.model.value.Bytes;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Where a base channel can go on: a position and the key of its row for each delivery that is not
 * checkpointed. Credit does not bound them, since a worker may give it back without ever storing a
 * checkpoint; so when there are too many, every second one is forgotten and only every second one
 * is kept from then on, and a later holder may get some more rows again. The newest one is always
 * there, because a channel has to resume at its end.
 */
final class ResumePoints {

  /** Keys have a few kilobytes at most, so a channel's points have a few megabytes at most. */
  static final int COUNT_MAX = 1_024;

  private final NavigableMap<Long, Bytes> keyByPosition = new TreeMap<>();

  /** Of so many deliveries one is kept. */
  private long stride = 1;

  private long sinceKept;

  ResumePoints(long checkpointed, Bytes key) {
    keyByPosition.put(checkpointed, key);
  }

  /**
   * Where a base channel goes on.
   *
   * @param position everything up to here was processed
   * @param key the encoded key of the row at that position; empty before the first
   */
  record Resume(long position, Bytes key) {}

  /** A delivery ended with the row of {@code key} at {@code position}. */
  void add(long position, Bytes key) {
    if (sinceKept > 0) {
      keyByPosition.pollLastEntry();
    }
    if (keyByPosition.size() == COUNT_MAX) {
      forgetEverySecond();
      stride *= 2;
    }
    keyByPosition.put(position, key);
    sinceKept = (sinceKept + 1) % stride;
  }

  /** The first stays: nothing before it can be gone back to. */
  private void forgetEverySecond() {
    boolean isForgotten = false;
    for (Iterator<Long> each = keyByPosition.keySet().iterator(); each.hasNext(); ) {
      each.next();
      if (isForgotten) {
        each.remove();
      }
      isForgotten = !isForgotten;
    }
  }

  /**
   * The highest point at or before {@code position}, and forgets those before it. Of two positions
   * that overtook each other the lower one finds the point of the higher one: everything up to that
   * one was processed, too.
   */
  Resume at(long position) {
    Map.Entry<Long, Bytes> point = keyByPosition.floorEntry(position);
    if (point == null) {
      point = keyByPosition.firstEntry();
    }
    keyByPosition.headMap(point.getKey(), false).clear();
    if (keyByPosition.size() <= COUNT_MAX / 2) {
      stride = 1;
      sinceKept = 0;
    }
    return new Resume(point.getKey(), point.getValue());
  }

  int count() {
    return keyByPosition.size();
  }
}
