package io.tunnel.programs.torture.hostile;

import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;

/** What {@code tunnel torture} does with {@code --hostile}. */
public final class HostileCommand {

  private final HostileOptions options;
  private final long seed;
  private final Path work;

  /**
   * With its options.
   *
   * @param work where a directory is made for a server, and removed
   */
  public HostileCommand(HostileOptions options, long seed, Path work) {
    this.options = options;
    this.seed = seed;
    this.work = work;
  }

  /**
   * Attacks until the time is over, and says what came of it.
   *
   * @param json where the summary goes as one JSON object, if anywhere
   * @return the exit code
   */
  public int run(PrintWriter people, PrintWriter err, Optional<PrintWriter> json)
      throws InterruptedException {
    options.check();
    var unused = options.existing();
    err.println("seed " + seed + ", " + options.connections() + " strangers at the same time");
    err.flush();
    SystemClock clock = new SystemClock();
    long startNanos = clock.nanos();
    HostileTally tally = new HostileTally(seed);
    try {
      new HostileRun(options, seed, tally, clock, err).run(work);
    } catch (IOException e) {
      tally.found("the torture could not go on: " + e.getMessage());
    }
    long elapsedMs = (clock.nanos() - startNanos) / 1_000_000;
    tally.lines(elapsedMs).forEach(people::println);
    people.flush();
    json.ifPresent(
        out -> {
          out.println(tally.json(elapsedMs));
          out.flush();
        });
    return tally.isClean() ? ExitCode.OK : ExitCode.FAILED;
  }
}
