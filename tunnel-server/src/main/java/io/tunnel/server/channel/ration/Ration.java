package io.tunnel.server.channel.ration;

import io.tunnel.server.changes.LogFigures;

/**
 * One channel's part of the throttle: tells whether the channel lags far, and when it may deliver
 * again. For the thread of the channel's connection.
 *
 * <p>Moves: FREE to RESTING when the channel has to wait, and back when the wait is over.
 */
public final class Ration {

  private final Rations all;
  private final ProgressCore progress = new ProgressCore();
  private State state = State.FREE;
  private boolean isFarBehind;

  /** The bytes taken from the throttled rate up to here must be paid before the next delivery. */
  private long paidAt;

  private enum State {
    FREE,
    RESTING
  }

  /** Runs a waiting channel's next attempt. */
  @FunctionalInterface
  public interface Timer {
    /** Runs {@code action} on the channel's thread after {@code nanos}. */
    void after(long nanos, Runnable action);
  }

  Ration(Rations all) {
    this.all = all;
  }

  /**
   * Claims a turn: true when the channel may deliver now; otherwise runs {@code again} when it is
   * to claim again.
   *
   * @param behindBytes least size of the channel's backlog; {@link Long#MAX_VALUE} for a large
   *     backlog of unknown size, and {@link LogFigures#UNKNOWN} counts as large, too
   * @param committed position of the newest change of the partition; 0 for rows
   */
  public boolean claimTurn(long behindBytes, long committed, Timer timer, Runnable again) {
    if (state == State.RESTING) {
      return false;
    }
    progress.look(committed);
    boolean isLarge =
        behindBytes == LogFigures.UNKNOWN || behindBytes > all.config().liveBytesMax();
    isFarBehind = all.config().isPaced() && isLarge;
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

  /** Notes a delivery of {@code changes} in {@code bytes}. */
  public void delivered(long changes, int bytes) {
    progress.delivered(changes);
    if (isFarBehind) {
      paidAt = all.take(bytes);
    }
  }
}
