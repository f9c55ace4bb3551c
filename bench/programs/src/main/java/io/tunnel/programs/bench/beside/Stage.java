package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.util.concurrent.TimeUnit;

/**
 * What the rounds of a run have in common.
 *
 * @param load writes rows
 * @param stepSecondsMax a step that takes longer ends the run
 * @param deadline when the run has to be done
 * @param progress is told each step
 * @param clock measures
 */
public record Stage(
    RowLoad load, int stepSecondsMax, Deadline deadline, Progress progress, LoadClock clock) {

  /**
   * The end of the time for all.
   *
   * @param nanos of the clock
   * @param minutesMax how long that was, for people
   */
  public record Deadline(long nanos, int minutesMax) {

    /** So many minutes from now. */
    public static Deadline in(int minutes, LoadClock clock) {
      return new Deadline(clock.nanos() + TimeUnit.MINUTES.toNanos(minutes), minutes);
    }
  }

  /**
   * Begins a step.
   *
   * @throws CommandFailure when the time for all is over
   */
  void step(String what) {
    if (clock.nanos() - deadline.nanos() > 0) {
      throw CommandFailure.failed(
          "not done after "
              + deadline.minutesMax()
              + " minutes, before: "
              + what
              + "; --minutes-max gives more");
    }
    progress.step(what);
  }
}
