package io.tunnel.perf;

import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.options.DurationConverter;
import java.time.Duration;
import java.util.OptionalLong;
import picocli.CommandLine.Option;

/** When a run has consumed enough, as a mixin. */
final class StopOptions {

  @Option(
      names = "--rows",
      paramLabel = "N",
      description =
          "End after exactly so many rows: what is behind them is neither counted nor checkpointed."
              + " With --engine flink, with the window of commit times that brings them.")
  private Long rows;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "End after that time.")
  private Duration duration;

  @Option(
      names = "--until-idle",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "End when no row came for that time; with exit code 1 if that is because the tunnel or a"
              + " channel of it is paused or stopped.")
  private Duration untilIdle;

  /** The rows to count, if that was said. */
  OptionalLong rows() {
    return rows == null ? OptionalLong.empty() : OptionalLong.of(rows);
  }

  /** Refuses what cannot be. */
  void require() {
    if (rows != null && rows < 1) {
      throw CommandFailure.usage("--rows is at least 1, not " + rows);
    }
  }

  /**
   * Decides for a run that starts now.
   *
   * @param delayNanos how long rows may be on their way to be counted: until then nobody is idle
   */
  StopCore core(long startNanos, long delayNanos) {
    return new StopCore(
        startNanos,
        rows(),
        duration == null ? OptionalLong.empty() : OptionalLong.of(duration.toNanos()),
        untilIdle == null
            ? OptionalLong.empty()
            : OptionalLong.of(untilIdle.toNanos() + delayNanos));
  }
}
