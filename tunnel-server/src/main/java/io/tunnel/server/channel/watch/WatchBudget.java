package io.tunnel.server.channel.watch;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.concurrent.atomic.AtomicLong;

/** What all watches of a server take together. Safe for use by any thread. */
final class WatchBudget {

  private final WatchLimits limits;
  private final AtomicLong buffered = new AtomicLong();
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

  synchronized int watches() {
    return watches;
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

  long buffered() {
    return buffered.get();
  }
}
