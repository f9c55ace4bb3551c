package io.tunnel.flink.sink;

import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.operators.MailboxExecutor;

/**
 * How the SDK's thread wakes the task's thread. A task that waits runs what comes to its mailbox,
 * so that its timers go on and a cancellation reaches it; a ring is such a mail, and at most one is
 * under way.
 *
 * <p>No ring is lost: a thread changes what the task waits for before it rings, and the task says
 * that it waits before it looks.
 */
final class Doorbell {

  /** What a waiting task looks at. */
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

  /** A bell that makes the task look when it rings, whether or not it waits. */
  Doorbell(MailboxExecutor mailbox, Look whenRung) {
    this.mailbox = mailbox;
    this.whenRung = whenRung;
  }

  /** Something has changed that only a waiting task cares about. On any thread. */
  void ringIfAwaited() {
    if (isAwaited) {
      ring();
    }
  }

  /** Something has changed that the task must see soon. On any thread. */
  void ring() {
    if (isClosed || !isUnderWay.compareAndSet(false, true)) {
      return;
    }
    try {
      mailbox.execute(this::answer, "rows of the sink have outcomes");
    } catch (RejectedExecutionException e) {
      // The task has ended: nobody is left to be woken.
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

  /** Nobody answers any more. */
  void close() {
    isClosed = true;
  }
}
