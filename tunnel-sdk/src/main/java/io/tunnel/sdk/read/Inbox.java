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
 * The deliveries that the program has not taken yet. The credit of the partitions bounds the inbox:
 * no partition has more bytes in the inbox than its credit. The lock guards the fields; no foreign
 * code runs under the lock. Thread-safe.
 */
public final class Inbox {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition hasNews = lock.newCondition();
  private final Deque<Received> items = new ArrayDeque<>();
  private final Set<Integer> paused = new HashSet<>();
  private Optional<RuntimeException> failure = Optional.empty();
  private boolean isWoken;

  /** Adds a delivery or the end of a partition; after a failure the inbox drops it. */
  void put(Received received) {
    change(
        () -> {
          if (failure.isEmpty()) {
            Received last = items.peekLast();
            if (last != null && last.isOutdatedBy(received)) {
              items.removeLast();
            }
            items.add(received);
          }
        });
  }

  /**
   * Fails with the first reason each {@link #take} that comes behind the deliveries in the inbox.
   * No delivery follows, so a partition that goes on cannot hide the failure of another.
   */
  public void fail(RuntimeException reason) {
    change(() -> failure = failure.or(() -> Optional.of(reason)));
  }

  /** As {@link #fail}, at once: drops the deliveries in the inbox. */
  void close(RuntimeException reason) {
    change(
        () -> {
          items.clear();
          failure = failure.or(() -> Optional.of(reason));
        });
  }

  /** Ends the wait of the current or the next {@link #take}. */
  public void wakeUp() {
    change(() -> isWoken = true);
  }

  /** Keeps the deliveries of a partition until {@link #resume}. */
  public void pause(int partition) {
    change(() -> paused.add(partition));
  }

  /** Allows {@link #take} to return deliveries of the partition again. */
  public void resume(int partition) {
    change(() -> paused.remove(partition));
  }

  /** Drops the deliveries of a partition; a paused partition stays paused. */
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
   * Takes the next delivery of a partition that is not paused; empty after {@code waitNanos} or
   * after a {@link #wakeUp}.
   *
   * @throws RuntimeException the reason of {@link #fail}
   */
  public Optional<Received> take(long waitNanos) throws InterruptedException {
    long leftNanos = waitNanos;
    lock.lockInterruptibly();
    try {
      while (true) {
        Optional<Received> next = next();
        if (next.isPresent()) {
          return next;
        }
        if (failure.isPresent()) {
          throw Rethrown.here(failure.get());
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
