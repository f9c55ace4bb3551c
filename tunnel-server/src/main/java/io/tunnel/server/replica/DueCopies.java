package io.tunnel.server.replica;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The copies of a shard that have something to do: those that were told something, and those whose
 * time has come. A shard has hundreds of copies, and most steps concern one or two. For the shard's
 * thread.
 */
final class DueCopies {

  private final Set<Copy> told = new LinkedHashSet<>();

  /**
   * When a copy is to be looked at even if it is told nothing; in an order that can be repeated.
   */
  private final Map<Copy, Long> nanosByCopy = new LinkedHashMap<>();

  /** The copy was told something. */
  void add(Copy copy) {
    told.add(copy);
  }

  /** Those with something to do now; each is to be {@link #looked} at. */
  List<Copy> take(long nowNanos) {
    nanosByCopy.forEach(
        (copy, nanos) -> {
          if (nowNanos - nanos >= 0) {
            told.add(copy);
          }
        });
    List<Copy> due = List.copyOf(told);
    told.clear();
    return due;
  }

  /** The copy has done what it had to do by now. */
  void looked(Copy copy) {
    copy.nextNanos()
        .ifPresentOrElse(nanos -> nanosByCopy.put(copy, nanos), () -> nanosByCopy.remove(copy));
  }

  /** The copy is one no more. */
  void remove(Copy copy) {
    told.remove(copy);
    nanosByCopy.remove(copy);
  }

  /** So long nothing has to be done unless a copy is told something. */
  long leftNanos(long nowNanos) {
    long left = told.isEmpty() ? Long.MAX_VALUE : 0;
    for (long nanos : nanosByCopy.values()) {
      left = Math.min(left, nanos - nowNanos);
    }
    return left;
  }
}
