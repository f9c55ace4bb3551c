package io.tunnel.sdk.write;

import io.tunnel.sdk.transport.EventLoops;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of rows without an outcome. A thread that adds a row waits while the limit is reached; each
 * may then go over it by one row, because a row's bytes are known only when it is encoded.
 */
final class ByteBudget {

  private final long bytesMax;
  private final AtomicLong used = new AtomicLong();
  private final Object room = new Object();

  /** Written under {@link #room}. */
  private volatile int waiting;

  ByteBudget(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  long used() {
    return used.get();
  }

  boolean isFull() {
    return used.get() >= bytesMax;
  }

  boolean hasWaiting() {
    return waiting > 0;
  }

  void take(long bytes) {
    used.addAndGet(bytes);
  }

  void giveBack(long bytes) {
    long left = used.addAndGet(-bytes);
    if (left < 0) {
      throw new IllegalStateException("a buffer of " + left + " bytes");
    }
    if (waiting > 0) {
      synchronized (room) {
        room.notifyAll();
      }
    }
  }

  /**
   * Waits until there is room. Every byte that is taken is given back when its row has an outcome,
   * and every row has one in bounded time, so this ends.
   *
   * @param pressure sends what lingers, so that room is made
   * @throws IllegalStateException when it would have to wait on a callback thread
   */
  void awaitRoom(Runnable pressure) {
    boolean interrupted = false;
    while (isFull()) {
      EventLoops.requireMayBlock("adding a row while the buffer of " + bytesMax + " bytes is full");
      synchronized (room) {
        waiting++;
      }
      try {
        pressure.run();
        synchronized (room) {
          if (isFull()) {
            room.wait();
          }
        }
      } catch (InterruptedException e) {
        interrupted = true;
      } finally {
        synchronized (room) {
          waiting--;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
