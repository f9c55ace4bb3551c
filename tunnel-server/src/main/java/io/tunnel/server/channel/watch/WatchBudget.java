package io.tunnel.server.channel.watch;

import io.tunnel.core.FreeShare;
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
  private final FreeShare watches;
  private final FreeShare termsBytes;

  WatchBudget(WatchLimits limits) {
    this.limits = limits;
    this.watches = new FreeShare(limits.watchesMax());
    this.termsBytes = new FreeShare(limits.termsBytesMax());
  }

  /**
   * Makes place for a watch.
   *
   * @param principal the empty text where clients have no names
   * @throws RefusedException BUSY when there are too many, or the principal has its share
   */
  synchronized void enter(String principal, int bytes) {
    if (watches.taken() >= limits.watchesMax()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "this server has " + limits.watchesMax() + " watches, the most it takes; try later");
    }
    if (termsBytes.taken() + bytes > limits.termsBytesMax()) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "the keys and prefixes of all watches of this server would have more than "
              + limits.termsBytesMax()
              + " bytes; try later");
    }
    requireShare(principal, bytes);
    watches.add(principal, 1);
    termsBytes.add(principal, bytes);
  }

  private void requireShare(String principal, int bytes) {
    if (!watches.allows(principal, 1) || !termsBytes.allows(principal, bytes)) {
      throw new RefusedException(
          ErrorCode.BUSY,
          "'"
              + principal
              + "' has "
              + watches.of(principal)
              + " watches with "
              + termsBytes.of(principal)
              + " bytes of keys and prefixes; this server keeps the rest for others; end watches,"
              + " or watch prefixes in place of many keys");
    }
  }

  synchronized void leave(String principal, int bytes) {
    watches.leave(principal, 1);
    termsBytes.leave(principal, bytes);
  }

  /** A live pass has read {@code rows} changes. */
  void read(long rows) {
    readRows.add(rows);
  }

  /** A catch-up pass has read {@code rows} changes. */
  void caughtUp(long rows) {
    catchUpRows.add(rows);
  }

  /** Takes memory for a change; false, without taking any, when no memory is left. */
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

  /** The present figures, with {@code behind} watches that lag. */
  synchronized Watches.Figures figures(int behind) {
    return new Watches.Figures(
        (int) watches.taken(),
        behind,
        termsBytes.taken(),
        buffered.get(),
        readRows.sum(),
        catchUpRows.sum());
  }
}
