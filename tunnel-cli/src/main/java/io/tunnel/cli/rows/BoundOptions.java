package io.tunnel.cli.rows;

import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.StopSignal;
import io.tunnel.terminal.options.DurationConverter;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The options of a command that binds the row that it writes to its own life. */
final class BoundOptions {

  /** Longer than the answer of a server that is busy. */
  private static final long PATIENCE_MS = 10_000;

  private static final long LOOK_MS = 200;
  private static final Duration LEASE_MIN = Duration.ofSeconds(2);
  private static final Duration LEASE_MAX = Duration.ofHours(1);

  @Option(
      names = "--bound",
      description =
          "Bind the row to this command: the command stays until Ctrl-C, and the server deletes"
              + " the row when the command has ended.")
  private boolean isBound;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description =
          "How long a row with --bound stays after a command that was killed, or cut off from the"
              + " server, 2s to 1h (default: ${DEFAULT-VALUE}).")
  private Duration lease;

  /** For picocli. */
  BoundOptions() {}

  boolean isBound() {
    return isBound;
  }

  /** Refuses options that make no sense, before anything is connected. */
  void check(boolean isOfFile) {
    if (isOfFile && isBound) {
      throw CommandFailure.usage("--bound is of one row, named by --key");
    }
    if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
      throw CommandFailure.usage("--lease is 2s to 1h");
    }
  }

  /**
   * Writes in a session, and keeps the session until the command is asked to end.
   *
   * @param writing fails with what says why nothing was written
   * @return the exit code
   */
  int hold(TableClient client, Consumer<RowSession> writing, PrintWriter remarks)
      throws InterruptedException {
    try (StopSignal stop = new StopSignal(PATIENCE_MS);
        RowSession session = client.openSession(lease)) {
      writing.accept(session);
      remarks.println(
          "the row is bound to session "
              + session.id()
              + " and goes with this command: at Ctrl-C, or at most "
              + Human.duration(lease.toMillis())
              + " after the command was killed");
      remarks.flush();
      while (session.isOpen() && !stop.isAsked()) {
        awaitEnd(session);
      }
      if (session.isOpen()) {
        return ExitCode.OK;
      }
      throw new CommandFailure(
          ExitCode.FAILED,
          "SESSION_ENDED",
          "session " + session.id() + " has ended, and the row is gone or will be",
          "Run the command again to write the row again");
    }
  }

  private static void awaitEnd(RowSession session) throws InterruptedException {
    try {
      var unused = session.ended().get(LOOK_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // The session goes on.
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end of a session failed", e);
    }
  }
}
