package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadProcess;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What came of a case.
 *
 * @param main answers to publishers, or events that subscribers heard
 * @param data data that subscribers read, from the creation of its path; where they read
 * @param failed requests and events that were missing, repeated, out of order or wrong
 * @param cpuPercent of one core, of all servers together
 */
public record PublishFigures(
    Times main, Optional<Times> data, long failed, OptionalDouble cpuPercent) {

  static final String DATA = "data";
  static final String COUNT = "Count";
  static final String PER_SECOND = "PerSecond";
  static final String AVERAGE = "Average";
  static final String P50 = "P50";
  static final String P99 = "P99";
  static final String RECENT_PER_SECOND = "RecentPerSecond";
  static final String RECENT = "Recent";
  static final String MAIN = "main";
  static final String FAILED = "failed";
  static final String MISSING = "missing";
  static final String WRONG = "wrong";

  /** To connect and to subscribe, and to wait for all events. */
  private static final long LINE_SECONDS_MAX = 900;

  private static final double NANOS_PER_MS = 1e6;

  /**
   * Rates and times.
   *
   * @param count of the measured time
   * @param perSecond over the measured time
   * @param recentPerSecond the median of the seconds
   * @param averageMs mean
   * @param recentMs the median of the seconds' means
   */
  public record Times(
      long count,
      double perSecond,
      double recentPerSecond,
      double averageMs,
      double recentMs,
      double p50Ms,
      double p99Ms) {

    private static Times of(LoadLine line, String prefix) {
      return new Times(
          (long) line.number(prefix + COUNT),
          line.number(prefix + PER_SECOND),
          line.number(prefix + RECENT_PER_SECOND),
          line.number(prefix + AVERAGE) / NANOS_PER_MS,
          line.number(prefix + RECENT) / NANOS_PER_MS,
          line.number(prefix + P50) / NANOS_PER_MS,
          line.number(prefix + P99) / NANOS_PER_MS);
    }
  }

  /**
   * Runs a case.
   *
   * @throws CommandFailure when the load failed, or anything failed in it
   */
  public static PublishFigures run(PublishCase what, LoadProcess process)
      throws IOException, InterruptedException {
    LoadProcess.Outcome came =
        process.run(
            what.text(),
            what.action().word(),
            LINE_SECONDS_MAX + what.warmUpSeconds() + what.seconds());
    requireWhole(what, process, came.done());
    LoadLine measured = came.measured();
    return new PublishFigures(
        Times.of(measured, MAIN),
        what.action() == PublishCase.Action.NOTIFY_READ
            ? Optional.of(Times.of(measured, DATA))
            : Optional.empty(),
        0,
        came.after().cpuPercent(came.before()));
  }

  private static void requireWhole(PublishCase what, LoadProcess process, LoadLine done)
      throws IOException {
    long failed = (long) done.number(FAILED);
    if (failed > 0) {
      throw process.failure(
          what.action().word(),
          "failTotal is "
              + failed
              + ": "
              + (long) done.number(MISSING)
              + " of "
              + what.events()
              + " events were missing, "
              + (long) done.number(WRONG)
              + " came twice, after a later one or for no path, and the rest are requests");
    }
  }
}
