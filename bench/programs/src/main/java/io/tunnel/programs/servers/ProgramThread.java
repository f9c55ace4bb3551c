package io.tunnel.programs.servers;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The thread that runs a program. An {@link Interrupt} stops the thread before it removes what the
 * thread has made, so that nothing is made behind the removal.
 */
public final class ProgramThread implements AutoCloseable {

  private static final long STOP_MS_MAX = 1_000;

  private final Thread thread = Thread.currentThread();
  private final CountDownLatch over = new CountDownLatch(1);

  /** The current thread, until the instance is closed. */
  public ProgramThread() {}

  /** Interrupts the thread. Returns when the thread has closed this instance, or after a second. */
  public void stop() throws InterruptedException {
    thread.interrupt();
    var unused = over.await(STOP_MS_MAX, TimeUnit.MILLISECONDS);
  }

  /** The thread makes nothing more. */
  @Override
  public void close() {
    over.countDown();
  }
}
