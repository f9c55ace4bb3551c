package io.tunnel.sdk.read;

import io.tunnel.sdk.transport.Rethrown;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What was delivered and not taken yet. Bounded by the credit of the partitions, each of which has
 * at most as much in here. Its lock guards its fields, and nothing is called under it. Safe for use
 * by any thread.
 */
public final class Inbox {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition hasNews = lock.newCondition();
  private final Deque<Received> items = new ArrayDeque<>();
  private final Set<Integer> paused = new HashSet<>();
  private Optional<RuntimeException> failure = Optional.empty();
  private boolean isWoken;

  /** Something more of a partition. */
  void put(Received received) {
    change(() -> items.add(received));
  }

  /** Nothing more can be read: every take fails with the reason, now and later. */
  public void fail(RuntimeException reason) {
    change(() -> failure = failure.or(() -> Optional.of(reason)));
  }

  /** The taker, or the next one, does not wait. */
  public void wakeUp() {
    change(() -> isWoken = true);
  }

  /** What there is of a partition stays until it is resumed. */
  public void pause(int partition) {
    change(() -> paused.add(partition));
  }

  /** What there is of a partition may be taken. */
  public void resume(int partition) {
    change(() -> paused.remove(partition));
  }

  /** Whatever there is of a partition is not wanted any more; if it is paused, it stays so. */
  public void forget(int partition) {
    change(() -> items.removeIf(item -> item.start().partition() == partition));
  }

  private void change(Runnable how) {
    lock.lock();
    try {
      how.run();
      hasNews.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next of a partition that is not paused; empty when there is none in time or somebody woke
   * the taker.
   *
   * @throws RuntimeException why nothing more can be read
   */
  public Optional<Received> take(long waitNanos) throws InterruptedException {
    long leftNanos = waitNanos;
    lock.lockInterruptibly();
    try {
      while (true) {
        if (failure.isPresent()) {
          throw Rethrown.here(failure.get());
        }
        Optional<Received> next = next();
        if (next.isPresent()) {
          return next;
        }
        if (isWoken || leftNanos <= 0) {
          isWoken = false;
          return Optional.empty();
        }
        leftNanos = hasNews.awaitNanos(leftNanos);
      }
    } finally {
      lock.unlock();
    }
  }

  private Optional<Received> next() {
    for (Iterator<Received> each = items.iterator(); each.hasNext(); ) {
      Received item = each.next();
      if (!paused.contains(item.start().partition())) {
        each.remove();
        return Optional.of(item);
      }
    }
    return Optional.empty();
  }
}
