package io.tunnel.programs.bench.seeds.process;

import io.tunnel.programs.bench.seeds.process.LoadLine.Word;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The parent's side of a {@link LoadProgram}: gives it cases, and watches the servers meanwhile.
 */
public final class LoadProcess implements Closeable {

  private static final int LOG_LINES_SHOWN = 12;
  private static final LoadLine ENDED =
      LoadLine.failed(new IllegalStateException("the process has ended"));

  private final Process process;
  private final Path log;
  private final LoadClock clock;
  private final ProcessMeter servers;
  private final BufferedWriter cases;
  private final BlockingQueue<LoadLine> lines = new LinkedBlockingQueue<>();

  private LoadProcess(Process process, Path log, List<Long> serverPids, LoadClock clock) {
    this.process = process;
    this.log = log;
    this.clock = clock;
    this.servers = new ProcessMeter(Path.of("/proc"), serverPids);
    this.cases = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * Starts one.
   *
   * @param log takes what the process prints to standard error
   * @param serverPids the processes that the load is for
   */
  public static LoadProcess start(
      List<String> command, Path log, List<Long> serverPids, LoadClock clock) throws IOException {
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    LoadProcess load = new LoadProcess(process, log, serverPids, clock);
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
   * What came of a case.
   *
   * @param measured what the load said at the end of the measured time
   * @param done what the load said at the very end
   * @param before the servers at the beginning of the measured time
   * @param after the servers at its end
   */
  public record Outcome(
      LoadLine measured, LoadLine done, ProcessMeter.Look before, ProcessMeter.Look after) {}

  /**
   * Runs a case.
   *
   * @param what the line that names the case
   * @param name the case for people
   * @param secondsMax how long the load may say nothing
   * @throws CommandFailure when the load failed
   */
  public Outcome run(String what, String name, long secondsMax)
      throws IOException, InterruptedException {
    try {
      cases.write(what);
      cases.newLine();
      cases.flush();
    } catch (IOException ended) {
      // What the process said at its end tells more.
    }
    await(name, secondsMax, Word.MEASURING);
    ProcessMeter.Look before = servers.look(clock.nanos());
    LoadLine measured = await(name, secondsMax, Word.MEASURED);
    ProcessMeter.Look after = servers.look(clock.nanos());
    return new Outcome(measured, await(name, secondsMax, Word.DONE), before, after);
  }

  private LoadLine await(String name, long secondsMax, Word word)
      throws IOException, InterruptedException {
    LoadLine line = lines.poll(secondsMax, TimeUnit.SECONDS);
    if (line == null) {
      throw failure(name, "it said nothing for " + secondsMax + " s");
    }
    if (line.word() == Word.FAILED && !line.equals(ENDED)) {
      throw CommandFailure.failed("the load " + name + " failed: " + line.text());
    }
    if (line.word() != word) {
      throw failure(name, line.equals(ENDED) ? "its process has ended" : "it said: " + line.line());
    }
    return line;
  }

  /** A failure of the load {@code name}, with the end of its log. */
  public CommandFailure failure(String name, String why) throws IOException {
    return CommandFailure.failed(
        "the load "
            + name
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
