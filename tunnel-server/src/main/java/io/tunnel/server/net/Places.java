package io.tunnel.server.net;

import io.tunnel.server.net.NetMeter.Farewell;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The places for connections. When all are taken, a new connection gets that of the one which has
 * waited longest without a greeting; when all have greeted, it is refused.
 *
 * <p>Its monitor guards its fields and is held for no call.
 */
final class Places {

  /** Connections that are told why they are refused, at the same time; others are just closed. */
  static final int REFUSED_MAX = 64;

  private final int placesMax;
  private final Set<Holder> greeted = new LinkedHashSet<>();
  private final Set<Holder> notGreeted = new LinkedHashSet<>();
  private final Set<Holder> refused = new LinkedHashSet<>();

  /** A connection. */
  interface Holder {

    /** Closes it without a word. Called by any thread. */
    void closeAtOnce(Farewell why);
  }

  /** What becomes of a new connection. */
  enum Entry {
    /** It has a place. */
    ADMITTED,
    /** It has none, and is told so. */
    REFUSED,
    /** It has none, and is closed. */
    CLOSED
  }

  /** So many places, all free. */
  Places(int placesMax) {
    this.placesMax = placesMax;
  }

  /** A new connection; may close another one for it. */
  Entry enter(Holder holder) {
    Optional<Holder> replaced;
    synchronized (this) {
      replaced = greeted.size() + notGreeted.size() < placesMax ? Optional.empty() : oldest();
      boolean hasPlace = replaced.isPresent() || greeted.size() + notGreeted.size() < placesMax;
      if (hasPlace) {
        notGreeted.add(holder);
      } else if (refused.size() < REFUSED_MAX) {
        refused.add(holder);
        return Entry.REFUSED;
      } else {
        return Entry.CLOSED;
      }
    }
    replaced.ifPresent(other -> other.closeAtOnce(Farewell.NOT_GREETED));
    return Entry.ADMITTED;
  }

  private Optional<Holder> oldest() {
    Iterator<Holder> each = notGreeted.iterator();
    if (!each.hasNext()) {
      return Optional.empty();
    }
    Holder oldest = each.next();
    each.remove();
    return Optional.of(oldest);
  }

  /** Keeps its place from now on. */
  synchronized void greeted(Holder holder) {
    if (notGreeted.remove(holder)) {
      greeted.add(holder);
    }
  }

  /** Is gone. */
  synchronized void left(Holder holder) {
    if (!greeted.remove(holder) && !notGreeted.remove(holder)) {
      refused.remove(holder);
    }
  }
}
