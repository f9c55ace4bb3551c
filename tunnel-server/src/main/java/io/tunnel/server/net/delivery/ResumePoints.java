package io.tunnel.server.net.delivery;

import io.tunnel.model.value.Bytes;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The points where a base channel can resume: a position and its row's key, for each delivery
 * without a checkpoint. Credit does not bound their number, since a worker may give credit without
 * ever storing a checkpoint. So above {@value #COUNT_MAX} points every second is dropped, and from
 * then on only every second delivery adds one; a later holder may get some more rows again. The
 * newest point always stays, because a channel must be able to resume at its end.
 */
final class ResumePoints {

  /** Keys have a few kilobytes at most, so a channel's points have a few megabytes at most. */
  static final int COUNT_MAX = 1_024;

  private final NavigableMap<Long, Bytes> keyByPosition = new TreeMap<>();

  /** One delivery of {@code stride} adds a point. */
  private long stride = 1;

  private long sinceKept;

  ResumePoints(long checkpointed, Bytes key) {
    keyByPosition.put(checkpointed, key);
  }

  /**
   * A point where a base channel resumes.
   *
   * @param position all rows up to it were processed
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

  /** The first point stays: a channel cannot resume before it. */
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
   * Returns the highest point at or before {@code position}, and forgets all points before it. When
   * two checkpoints overtake each other, the lower one finds the point of the higher one, up to
   * which all rows were processed too.
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
