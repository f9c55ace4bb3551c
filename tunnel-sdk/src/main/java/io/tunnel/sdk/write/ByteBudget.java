package io.tunnel.sdk.write;

import io.tunnel.sdk.transport.EventLoops;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of rows without an outcome. A thread that adds a row waits at the limit. Each
 * thread may exceed the limit by one row, whose size is known only after the encoding.
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
   * Waits until there is room. The wait ends, because every row has an outcome in bounded time, and
   * then gives its bytes back.
   *
   * @param pressure sends lingering batches to make room
   * @throws IllegalStateException when a callback thread would have to wait
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
