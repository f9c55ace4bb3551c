package io.tunnel.programs.bench.seeds.queue;

import io.tunnel.programs.bench.seeds.queue.LoadLine.Word;
import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The parent's side of a {@link LoadProgram}: gives it cases, and watches the server meanwhile. */
public final class LoadProcess implements Closeable {

  /** To make tables and tunnels of many receivers, and to drain them. */
  private static final long LINE_SECONDS_MAX = 240;

  private static final int LOG_LINES_SHOWN = 12;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MS = 1e6;
  private static final LoadLine ENDED =
      LoadLine.failed(new IllegalStateException("the process has ended"));

  private final Process process;
  private final Path log;
  private final LoadClock clock;
  private final ProcessMeter server;
  private final BufferedWriter cases;
  private final BlockingQueue<LoadLine> lines = new LinkedBlockingQueue<>();

  private LoadProcess(Process process, Path log, long serverPid, LoadClock clock) {
    this.process = process;
    this.log = log;
    this.clock = clock;
    this.server = new ProcessMeter(Path.of("/proc"), serverPid);
    this.cases = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts one.
   *
   * @param log takes what the process prints to standard error
   * @param serverPid the process that the load is for
   */
  public static LoadProcess start(List<String> command, Path log, long serverPid, LoadClock clock)
      throws IOException {
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    LoadProcess load = new LoadProcess(process, log, serverPid, clock);
    Thread reader = new Thread(load::read, "load-output");
    reader.setDaemon(true);
    reader.start();
    return load;
  }

  private void read() {
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(LoadLine.parse(line));
      }
    } catch (IOException | IllegalArgumentException e) {
      lines.add(LoadLine.failed(e));
    }
    lines.add(ENDED);
  }

  /**
   * Runs a case.
   *
   * @throws CommandFailure when the load failed, when messages are missing, or came twice or out of
   *     order
   */
  public QueueFigures run(MessageCase what) throws IOException, InterruptedException {
    try {
      cases.write(what.text());
      cases.newLine();
      cases.flush();
    } catch (IOException ended) {
      // What the process said at its end tells more.
    }
    await(what, Word.MEASURING);
    ProcessMeter.Look before = server.look(clock.nanos());
    LoadLine measured = await(what, Word.MEASURED);
    ProcessMeter.Look after = server.look(clock.nanos());
    LoadLine done = await(what, Word.DONE);
    requireWhole(what, done);
    double seconds = measured.number(LoadLine.NANOS) / NANOS_PER_SECOND;
    boolean isTimed = measured.number(LoadLine.RECEIVED) > 0;
    return new QueueFigures(
        measured.number(LoadLine.SENT) / seconds,
        measured.number(LoadLine.RECEIVED) / seconds,
        after.cpuPercent(before),
        after.diskMibPerSecond(before),
        isTimed ? millis(measured, LoadLine.P50_NANOS) : OptionalDouble.empty(),
        isTimed ? millis(measured, LoadLine.P99_NANOS) : OptionalDouble.empty(),
        (long) done.number(LoadLine.SENT),
        (long) done.number(LoadLine.RECEIVED));
  }

  private static OptionalDouble millis(LoadLine line, String name) {
    return OptionalDouble.of(line.number(name) / NANOS_PER_MS);
  }

  private static void requireWhole(MessageCase what, LoadLine done) {
    long received = (long) done.number(LoadLine.RECEIVED);
    long expected = (long) done.number(LoadLine.EXPECTED);
    long wrong = (long) done.number(LoadLine.WRONG);
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

  private LoadLine await(MessageCase what, Word word) throws IOException, InterruptedException {
    long secondsMax = LINE_SECONDS_MAX + what.warmUpSeconds() + what.seconds();
    LoadLine line = lines.poll(secondsMax, TimeUnit.SECONDS);
    if (line == null) {
      throw failed(what, "it said nothing for " + secondsMax + " s");
    }
    if (line.word() != word) {
      throw failed(what, line.word() == Word.FAILED ? line.text() : "it said: " + line.line());
    }
    return line;
  }

  private CommandFailure failed(MessageCase what, String why) throws IOException {
    return CommandFailure.failed(
        "the load "
            + what.way().text()
            + " failed: "
            + why
            + "; the end of its log:\n"
            + JavaProgram.lastLines(log, LOG_LINES_SHOWN));
  }

  @Override
  public void close() {
    try {
      cases.close();
    } catch (IOException ended) {
      // The process has ended already.
    }
    JavaProgram.stop(process);
  }
}
