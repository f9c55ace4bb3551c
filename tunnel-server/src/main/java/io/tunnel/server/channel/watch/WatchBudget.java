package io.tunnel.server.channel.watch;

import io.tunnel.core.FreeShare;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What all watches of a server take together, and what was read for them. Safe for use by any
 * thread.
 */
final class WatchBudget {

  private final WatchLimits limits;
  private final AtomicLong buffered = new AtomicLong();
  private final LongAdder readRows = new LongAdder();
  private final LongAdder catchUpRows = new LongAdder();
  private int watches;
  private long termsBytes;

  /** What each principal with watches has. */
  private final Map<String, Taken> byPrincipal = new HashMap<>();

  private record Taken(int watches, long termsBytes) {
    private static final Taken NOTHING = new Taken(0, 0);

    Taken plus(int more, long bytes) {
      return new Taken(watches + more, termsBytes + bytes);
    }
  }

  WatchBudget(WatchLimits limits) {
    this.limits = limits;
  }

  /**
   * Makes place for a watch.
   *
   * @param principal the empty text where clients have no names
   * @throws RefusedException BUSY when there are too many, or the principal has its share
   */
  synchronized void enter(String principal, int bytes) {
    if (watches >= limits.watchesMax()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "this server has " + limits.watchesMax() + " watches, the most it takes; try later");
    }
    if (termsBytes + bytes > limits.termsBytesMax()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "the keys and prefixes of all watches of this server would have more than "
              + limits.termsBytesMax()
              + " bytes; try later");
    }
    requireShare(principal, bytes);
    watches++;
    termsBytes += bytes;
    byPrincipal.merge(principal, new Taken(1, bytes), (own, more) -> own.plus(1, bytes));
  }

  private void requireShare(String principal, int bytes) {
    Taken own = byPrincipal.getOrDefault(principal, Taken.NOTHING);
    boolean isAllowed =
        FreeShare.allows(own.watches(), 1, watches, limits.watchesMax())
            && FreeShare.allows(own.termsBytes(), bytes, termsBytes, limits.termsBytesMax());
    if (!principal.isEmpty() && !isAllowed) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "'"
              + principal
              + "' has "
              + own.watches()
              + " watches with "
              + own.termsBytes()
              + " bytes of keys and prefixes; this server keeps the rest for others; end watches,"
              + " or watch prefixes in place of many keys");
    }
  }

  synchronized void leave(String principal, int bytes) {
    watches--;
    termsBytes -= bytes;
    Taken left = byPrincipal.get(principal).plus(-1, -bytes);
    if (left.watches() == 0) {
      byPrincipal.remove(principal);
    } else {
      byPrincipal.put(principal, left);
    }
  }

  /** A live pass has read {@code rows} changes. */
  void read(long rows) {
    readRows.add(rows);
  }

  /** A catch-up pass has read {@code rows} changes. */
  void caughtUp(long rows) {
    catchUpRows.add(rows);
  }

  /** Takes memory for a change; false when there is none, and nothing was taken. */
  boolean take(int bytes) {
    // A single change is taken by an empty budget, however large it is.
    long before = buffered.get();
    if (before > 0 && before + bytes > limits.bufferedBytesMax()) {
      return false;
    }
    buffered.addAndGet(bytes);
    return true;
  }

  void giveBack(long bytes) {
    buffered.addAndGet(-bytes);
  }

  /** The present figures, with {@code behind} watches that are behind. */
  synchronized Watches.Figures figures(int behind) {
    return new Watches.Figures(
        watches, behind, termsBytes, buffered.get(), readRows.sum(), catchUpRows.sum());
  }
}
