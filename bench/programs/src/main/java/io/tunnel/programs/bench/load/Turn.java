package io.tunnel.programs.bench.load;

import java.util.concurrent.atomic.AtomicInteger;

/** One operation of one client. Ends once. */
public final class Turn {

  /** The client is being called. */
  private static final int CALLING = 0;

  /** The client has returned, and its operation goes on. */
  private static final int OPEN = 1;

  /** The operation is over, or the client has left. */
  private static final int OVER = 2;

  private final Load.Seat seat;
  private final long number;
  private final long ordinal;
  private final long dueNanos;
  private final AtomicInteger state = new AtomicInteger(CALLING);

  Turn(Load.Seat seat, long number, long ordinal, long dueNanos) {
    this.seat = seat;
    this.number = number;
    this.ordinal = ordinal;
    this.dueNanos = dueNanos;
  }

  /** Counts the operations of this client, from 0. */
  public long number() {
    return number;
  }

  /** Counts the operations of all clients of the run, from 0. */
  public long ordinal() {
    return ordinal;
  }

  /** When the operation was due; without a rate, when it began. */
  public long dueNanos() {
    return dueNanos;
  }

  /** The operation is done: it counts, and the client may begin the next one. */
  public void done() {
    seat.answered(this);
    over();
  }

  /** The client has nothing more to do. */
  public void leave() {
    seat.leaves();
    over();
  }

  /** The operation failed, which ends the run for all clients. */
  public void failed(Throwable why) {
    seat.failed(why);
    over();
  }

  /** Lets the client continue, unless the loop that called the client does so. */
  private void over() {
    int before = state.getAndSet(OVER);
    if (before == OVER) {
      throw new IllegalStateException("operation " + number + " ended twice");
    }
    if (before == OPEN) {
      seat.run();
    }
  }

  /** Whether the turn is still open now that the client has returned. */
  boolean isOpenAfterCall() {
    return state.compareAndSet(CALLING, OPEN);
  }
}
