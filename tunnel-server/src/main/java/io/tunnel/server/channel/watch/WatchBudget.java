package io.tunnel.server.channel.watch;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
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

  WatchBudget(WatchLimits limits) {
    this.limits = limits;
  }

  /**
   * Makes place for a watch.
   *
   * @throws RefusedException BUSY when there are too many
   */
  synchronized void enter(int bytes) {
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
    watches++;
    termsBytes += bytes;
  }

  synchronized void leave(int bytes) {
    watches--;
    termsBytes -= bytes;
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
