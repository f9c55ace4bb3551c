package io.tunnel.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes Ctrl-C and SIGTERM ask a long command to finish what it has begun, instead of cutting it
 * off. The process ends when the command has closed its signal, or when its patience is over.
 */
public final class StopSignal implements AutoCloseable {

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook;

  /** Takes over the signals until it is closed; the command has {@code patienceMs} to finish. */
  public StopSignal(long patienceMs) {
    this.hook = new Thread(() -> finish(patienceMs), "stop-signal");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void finish(long patienceMs) {
    ask();
    try {
      boolean inTime = finished.await(patienceMs, TimeUnit.MILLISECONDS);
      if (!inTime) {
        System.err.println("did not finish within " + patienceMs + " ms of the signal");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks the command to finish, as a signal does. */
  public void ask() {
    asked.countDown();
  }

  /** Whether the command was asked to finish. */
  public boolean isAsked() {
    return asked.getCount() == 0;
  }

  /** Waits until the command is asked to finish; false when {@code waitMs} passed before. */
  public boolean await(long waitMs) throws InterruptedException {
    return asked.await(waitMs, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    finished.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException isEnding) {
      // The signal came: the hook is what waits for us.
    }
  }
}
