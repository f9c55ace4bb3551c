package io.tunnel.flink.sink;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;

/**
 * Lets the SDK's thread wake the task's thread. A waiting task runs the mails of its mailbox, so
 * that its timers go on and a cancellation reaches the task. A ring is a mail, and at most one ring
 * is in flight.
 *
 * <p>No ring is lost: a thread changes the awaited state before it rings, and the task announces
 * its wait before it looks at the state.
 */
final class Doorbell {

  /** The condition of a waiting task. */
  @FunctionalInterface
  interface Look {
    /** Whether the wait is over. */
    boolean isOver() throws IOException;
  }

  private final MailboxExecutor mailbox;
  private final Look whenRung;
  private final AtomicBoolean isUnderWay = new AtomicBoolean();
  private volatile boolean isAwaited;
  private volatile boolean isClosed;

  /**
   * A bell whose ring runs {@code whenRung} on the task's thread, whether or not the task waits.
   */
  Doorbell(MailboxExecutor mailbox, Look whenRung) {
    this.mailbox = mailbox;
    this.whenRung = whenRung;
  }

  /** Rings if the task waits. On any thread. */
  void ringIfAwaited() {
    if (isAwaited) {
      ring();
    }
  }

  /** Rings, even if the task does not wait. On any thread. */
  void ring() {
    if (isClosed || !isUnderWay.compareAndSet(false, true)) {
      return;
    }
    try {
      mailbox.execute(this::answer, "rows of the sink have outcomes");
    } catch (RejectedExecutionException e) {
      // The task has ended: no thread is left to wake.
      isClosed = true;
    }
  }

  private void answer() throws IOException {
    isUnderWay.set(false);
    if (!isClosed) {
      var unused = whenRung.isOver();
    }
  }

  /** Runs the task's mails until the wait is over. On the task's thread. */
  void await(Look look) throws IOException, InterruptedException {
    isAwaited = true;
    try {
      while (!look.isOver()) {
        mailbox.yield();
      }
    } finally {
      isAwaited = false;
    }
  }

  /** Ends the ringing, because the task ends. */
  void close() {
    isClosed = true;
  }
}
