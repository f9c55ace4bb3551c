package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.programs.bench.seeds.process.LoadLine;
import io.tunnel.programs.bench.seeds.process.LoadProcess;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.util.OptionalDouble;

/**
 * What came of a case.
 *
 * @param sentPerSecond messages that all senders sent in a measured second
 * @param receivedPerSecond messages received in a measured second; each copy counts
 * @param cpuPercent of one core, of the server's process
 * @param diskMibPerSecond that the server's process wrote
 * @param p50Ms from the beginning of a send to the receipt; empty when nothing came
 * @param p99Ms as {@code p50Ms}
 * @param sent all messages, also those of the warm-up
 * @param received all copies
 */
public record QueueFigures(
    double sentPerSecond,
    double receivedPerSecond,
    OptionalDouble cpuPercent,
    OptionalDouble diskMibPerSecond,
    OptionalDouble p50Ms,
    OptionalDouble p99Ms,
    long sent,
    long received) {

  /** To make tables and tunnels of many receivers, and to drain them. */
  private static final long LINE_SECONDS_MAX = 240;

  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MS = 1e6;

  /**
   * Runs a case.
   *
   * @throws CommandFailure when the load failed, when messages are missing, or came twice or out of
   *     order
   */
  public static QueueFigures run(MessageCase what, LoadProcess process)
      throws IOException, InterruptedException {
    LoadProcess.Outcome came =
        process.run(
            what.text(),
            what.way().text(),
            LINE_SECONDS_MAX + what.warmUpSeconds() + what.seconds());
    requireWhole(what, came.done());
    LoadLine measured = came.measured();
    double seconds = measured.number(MessageLoad.NANOS) / NANOS_PER_SECOND;
    boolean isTimed = measured.number(MessageLoad.RECEIVED) > 0;
    return new QueueFigures(
        measured.number(MessageLoad.SENT) / seconds,
        measured.number(MessageLoad.RECEIVED) / seconds,
        came.after().cpuPercent(came.before()),
        came.after().diskMibPerSecond(came.before()),
        isTimed ? millis(measured, MessageLoad.P50_NANOS) : OptionalDouble.empty(),
        isTimed ? millis(measured, MessageLoad.P99_NANOS) : OptionalDouble.empty(),
        (long) came.done().number(MessageLoad.SENT),
        (long) came.done().number(MessageLoad.RECEIVED));
  }

  private static OptionalDouble millis(LoadLine line, String name) {
    return OptionalDouble.of(line.number(name) / NANOS_PER_MS);
  }

  private static void requireWhole(MessageCase what, LoadLine done) {
    long received = (long) done.number(MessageLoad.RECEIVED);
    long expected = (long) done.number(MessageLoad.EXPECTED);
    long wrong = (long) done.number(MessageLoad.WRONG);
    if (received != expected || wrong > 0) {
      throw CommandFailure.failed(
          what.way().text()
              + ": "
              + received
              + " of "
              + expected
              + " messages were received, "
              + wrong
              + " of them twice or out of order");
    }
  }
}
