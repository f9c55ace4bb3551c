package io.tunnel.cli.ping;

import com.google.gson.JsonObject;
import io.tunnel.cli.service.Service;
import io.tunnel.cli.service.ServiceCommand;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.ByteCountConverter;
import io.tunnel.terminal.options.DurationConverter;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel ping}: sends bytes to a server again and again, and tells how long they took. */
@Command(
    name = "ping",
    mixinStandardHelpOptions = true,
    description = {
      "Measure round trips to a server: bytes are sent and come back, on one open connection.",
      "Ends after --count round trips, or at Ctrl-C, with a summary and its percentiles. A server"
          + " that does not answer the first ping ends the command; a later ping without an answer"
          + " counts as lost, and the exit code is then 69."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel ping",
      "  tunnel ping --count 10000 --interval 0 --quiet",
      "  tunnel ping --server n1:7650 --count 100 --interval 10ms --size 1KiB --json"
    })
public final class PingCommand extends ServiceCommand {

  static final long COUNT_MAX = 1_000_000_000;
  static final int SIZE_MAX = 64 * 1024;
  private static final Duration INTERVAL_MIN = Duration.ofMillis(1);
  private static final Duration INTERVAL_MAX = Duration.ofHours(1);
  private static final long PATIENCE_MS = 5_000;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "End after N round trips (default: go on until Ctrl-C).")
  private Long count;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationConverter.OrNone.class,
      description =
          "From one ping to the next; 0: the next follows the answer at once"
              + " (default: ${DEFAULT-VALUE}).")
  private Duration interval;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "56",
      converter = ByteCountConverter.class,
      description = "Bytes each way, up to 64KiB (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = {"--quiet", "-q"},
      description = "Print the summary alone.")
  private boolean isQuiet;

  /** For picocli. */
  PingCommand() {}

  @Override
  protected void check() {
    if (count != null) {
      CommandFailure.requireRange("--count", count, 1, COUNT_MAX);
    }
    CommandFailure.requireRange("--size", size, 0, SIZE_MAX);
    boolean isTooShort = !interval.isZero() && interval.compareTo(INTERVAL_MIN) < 0;
    if (isTooShort || interval.compareTo(INTERVAL_MAX) > 0) {
      throw CommandFailure.usage("--interval is 0, or 1ms to 1h");
    }
  }

  @Override
  protected void run(Service service) throws Exception {
    RoundTrips trips = new RoundTrips();
    String lastLoss;
    try (StopSignal stop = new StopSignal(PATIENCE_MS)) {
      lastLoss = pingAll(service, trips, stop);
      print(
          () -> json(service, trips),
          () -> {
            if (!isQuiet) {
              out().println();
            }
            return trips.lines();
          });
      out().flush();
    }
    if (trips.lostCount() > 0) {
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          trips.lostCount()
              + (trips.lostCount() == 1 ? " ping was" : " pings were")
              + " not answered; the last one: "
              + lastLoss);
    }
  }

  /** Returns why the last ping without an answer had none. */
  private String pingAll(Service service, RoundTrips trips, StopSignal stop)
      throws InterruptedException {
    String lastLoss = "";
    long sent = 0;
    Duration wait = Duration.ZERO;
    while ((count == null || sent < count) && !stop.await(wait.toMillis())) {
      sent++;
      try {
        Duration took = service.ping((int) size);
        trips.answered(took);
        say(sent + ": " + RoundTrips.text(took.toNanos() / 1e6) + " ms");
        wait = interval.compareTo(took) > 0 ? interval.minus(took) : Duration.ZERO;
      } catch (RefusedException | ConnectionException e) {
        if (!isPassing(e, trips)) {
          throw e;
        }
        trips.lost();
        lastLoss = String.valueOf(e.getMessage());
        say(sent + ": lost: " + lastLoss);
        wait = interval;
      }
      // A reader that has gone, such as head, needs no further ping.
      if (out().checkError()) {
        return lastLoss;
      }
    }
    return lastLoss;
  }

  /** Whether a later ping may be answered. Before the first answer every failure is final. */
  private static boolean isPassing(RuntimeException failure, RoundTrips trips) {
    if (trips.answeredCount() == 0) {
      return false;
    }
    return failure instanceof ConnectionException lost
        ? !lost.isLasting()
        : failure instanceof RefusedException refused && refused.retriable();
  }

  private void say(String line) {
    if (!isQuiet && !isJson()) {
      out().println(line);
      out().flush();
    }
  }

  private JsonObject json(Service service, RoundTrips trips) {
    JsonObject json = trips.json();
    json.addProperty(
        "server",
        String.join(",", service.config().endpoints().stream().map(String::valueOf).toList()));
    json.addProperty("bytes", size);
    return json;
  }
}
