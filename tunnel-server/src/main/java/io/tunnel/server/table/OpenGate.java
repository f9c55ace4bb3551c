package io.tunnel.server.table;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets threads use a native object until it is to be closed: who is inside keeps it open, and who
 * comes later is refused. Without it, a read of what was freed would end the process.
 */
final class OpenGate {

  /** Added to the count when the gate closes, so that the count stays negative. */
  private static final int CLOSED = Integer.MIN_VALUE / 2;

  private final AtomicInteger inside = new AtomicInteger();

  /** One use, which its close ends. */
  public interface Use extends AutoCloseable {
    @Override
    void close();
  }

  private final Use use = this::leave;

  /**
   * Begins a use.
   *
   * @throws RefusedException SHUTTING_DOWN when it is closed
   */
  public Use enter() {
    if (inside.incrementAndGet() <= 0) {
      leave();
      throw new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
    }
    return use;
  }

  /** Ends a use. */
  void leave() {
    if (inside.decrementAndGet() == CLOSED) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return inside.get() < 0;
  }

  /** Admits no more threads, and returns when all have left; false when it was closed before. */
  public boolean close() {
    if (isClosed() || inside.getAndAdd(CLOSED) < 0) {
      return false;
    }
    boolean wasInterrupted = false;
    synchronized (this) {
      while (inside.get() != CLOSED) {
        try {
          wait();
        } catch (InterruptedException e) {
          wasInterrupted = true;
        }
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
    return true;
  }
}
