package io.tunnel.server.channel.ration;

/**
 * One channel's part of the ration: whether it is far behind, and when it may deliver again. For
 * the thread of the channel's connection.
 *
 * <p>Moves: FREE to RESTING when it has to wait, and back when that time is over.
 */
public final class Ration {

  private final Rations all;
  private final ProgressCore progress = new ProgressCore();
  private State state = State.FREE;
  private boolean isFarBehind;

  /** Up to where everything has to be paid before the next delivery. */
  private long paidAt;

  private enum State {
    FREE,
    RESTING
  }

  /** Where a channel that has to wait says so. */
  @FunctionalInterface
  public interface Timer {
    /** Runs {@code action} on the channel's thread after that time. */
    void after(long nanos, Runnable action);
  }

  Ration(Rations all) {
    this.all = all;
  }

  /**
   * Whether it may deliver now; otherwise {@code again} is run when it is to ask once more.
   *
   * @param behindBytes what is in front of it, at least; {@link Long#MAX_VALUE} when that is much
   *     and not known
   * @param committed position of the newest change of its partition; 0 of rows
   */
  public boolean mayDeliver(long behindBytes, long committed, Timer timer, Runnable again) {
    if (state == State.RESTING) {
      return false;
    }
    progress.look(committed);
    isFarBehind = all.config().isPaced() && behindBytes > all.config().liveBytesMax();
    long leftNanos = isFarBehind && !progress.isEntitled() ? all.leftNanos(paidAt) : 0;
    if (leftNanos == 0) {
      return true;
    }
    state = State.RESTING;
    all.waits(true);
    timer.after(
        leftNanos,
        () -> {
          state = State.FREE;
          all.waits(false);
          again.run();
        });
    return false;
  }

  /** A delivery was sent: so many changes, in so many bytes. */
  public void delivered(long changes, int bytes) {
    progress.delivered(changes);
    if (isFarBehind) {
      paidAt = all.take(bytes);
    }
  }
}
