package io.tunnel.server.net.access;

import io.tunnel.server.security.Permissions;
import io.tunnel.wire.Operation.Right;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * A cache of one caller's latest decisions. A program asks about a few tables again and again; a
 * decision is looked up in the permissions once, and again after any permission or group has
 * changed. For any thread: two threads may look up one decision at the same time.
 *
 * <p>It does not keep old permissions in memory: an idle caller holds only their mark.
 */
final class RecentDecisions {

  /** Decisions that one connection remembers; a power of 2. */
  private static final int PLACES = 16;

  /** The kinds of questions. */
  enum About {
    TABLE,
    SOME_TABLE,
    SIGHT_OF_TABLE,
    TUNNEL,
    CLUSTER
  }

  /** One question; unused names are empty. */
  record Question(About about, Right right, String table, String tunnel) {

    private int place() {
      int hash = table.hashCode() * 31 + tunnel.hashCode();
      hash = (hash * 31 + about.name().hashCode()) * 31 + right.name().hashCode();
      return (hash ^ hash >>> 16 ^ hash >>> 8) & (PLACES - 1);
    }
  }

  private record Decision(Object mark, Question question, boolean isGranted) {}

  private final AtomicReferenceArray<Optional<Decision>> decisions =
      new AtomicReferenceArray<>(PLACES);

  RecentDecisions() {
    for (int i = 0; i < PLACES; i++) {
      decisions.set(i, Optional.empty());
    }
  }

  /** The answer of the permissions {@code now}. */
  boolean decide(Permissions now, Question question, Predicate<Permissions> answer) {
    int place = question.place();
    Optional<Decision> former = decisions.get(place);
    if (former.isPresent()
        && former.get().mark() == now.mark()
        && former.get().question().equals(question)) {
      return former.get().isGranted();
    }
    boolean isGranted = answer.test(now);
    decisions.set(place, Optional.of(new Decision(now.mark(), question, isGranted)));
    return isGranted;
  }
}
