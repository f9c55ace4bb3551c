package io.tunnel.it.process;

import io.tunnel.fixtures.Poll;
import io.tunnel.kafka.broker.Suspension;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM with a main class. The output of the JVM is kept. The JVM ends with the test, or with the
 * JVM of the tests at the latest.
 */
public final class ChildProcess implements AutoCloseable {

  /** A child starts in less time and needs less memory without the second compiler. */
  static final List<String> JVM_OPTIONS =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto");

  /** The class path of the tests, which has this build. */
  static final String CLASS_PATH = System.getProperty("java.class.path");

  private final String name;
  private final Process process;
  private final BufferedWriter stdin;
  private final Thread stdoutReader;
  private final Thread stderrReader;
  private final Thread reaper;

  // Guarded by this.
  private final List<String> said = new ArrayList<>();
  private final List<String> transcript = new ArrayList<>();
  private int openStreams = 2;

  private ChildProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.stdin = process.outputWriter(StandardCharsets.UTF_8);
    this.stdoutReader = reader(process.getInputStream(), true);
    this.stderrReader = reader(process.getErrorStream(), false);
    this.reaper = new Thread(process::destroyForcibly);
  }

  /** Starts a JVM; {@code name} is what the transcript calls it. */
  static ChildProcess start(
      String name,
      String classPath,
      List<String> jvmOptions,
      String mainClass,
      List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-Dio.netty.leakDetection.level=paranoid");
    if (Runtime.version().feature() >= 24) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(arguments);
    try {
      ChildProcess child = new ChildProcess(name, new ProcessBuilder(command).start());
      Runtime.getRuntime().addShutdownHook(child.reaper);
      child.stdoutReader.start();
      child.stderrReader.start();
      return child;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Thread reader(InputStream stream, boolean isStdout) {
    Thread thread = new Thread(() -> read(stream, isStdout), name + "-output");
    thread.setDaemon(true);
    return thread;
  }

  private void read(InputStream stream, boolean isStdout) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        heard(line, isStdout);
      }
    } catch (IOException e) {
      heard("[the stream broke: " + e + "]", false);
    } finally {
      streamEnded();
    }
  }

  private synchronized void heard(String line, boolean isStdout) {
    transcript.add(line);
    if (line.contains("LEAK: ")) {
      // Into the output of this test, where it/reports.sh finds it.
      System.err.println(name + ": " + line);
    }
    if (isStdout) {
      said.add(line);
      notifyAll();
    }
  }

  private synchronized void streamEnded() {
    openStreams--;
    notifyAll();
  }

  /** Waits for a line of standard output that matches as a whole, said now or before. */
  public synchronized Matcher awaitLine(Pattern pattern) {
    long deadline = System.nanoTime() + Poll.LONG.toNanos();
    int next = 0;
    while (true) {
      for (; next < said.size(); next++) {
        Matcher matcher = pattern.matcher(said.get(next));
        if (matcher.matches()) {
          return matcher;
        }
      }
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0 || openStreams == 0) {
        throw new AssertionError(
            name + " did not say '" + pattern + "' before its " + (leftMs <= 0 ? "time" : "end"));
      }
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + name, e);
      }
    }
  }

  /** The last line of standard output that matches as a whole. */
  public synchronized Optional<Matcher> lastLine(Pattern pattern) {
    for (int i = said.size() - 1; i >= 0; i--) {
      Matcher matcher = pattern.matcher(said.get(i));
      if (matcher.matches()) {
        return Optional.of(matcher);
      }
    }
    return Optional.empty();
  }

  /** How many lines of standard output match as a whole. */
  synchronized int count(Pattern pattern) {
    return (int) said.stream().filter(line -> pattern.matcher(line).matches()).count();
  }

  /** Writes a line to its standard input. */
  public void tell(String line) {
    try {
      stdin.write(line);
      stdin.newLine();
      stdin.flush();
    } catch (IOException e) {
      throw new AssertionError(name + " does not listen any more", e);
    }
  }

  /** Asks it to end, as SIGTERM does. */
  public void terminate() {
    // Process.destroy would also close its streams, and what it says at its end be lost.
    boolean unused = process.toHandle().destroy();
  }

  /** Ends it with SIGKILL and returns when it is gone. */
  public void kill() {
    process.destroyForcibly();
    awaitExit();
  }

  /** Stops all its threads where they stand, with SIGSTOP, until it is told to go on. */
  public void suspend() {
    signal(Suspension::suspend);
  }

  /** Lets it go on with SIGCONT. */
  public void goOn() {
    signal(Suspension::resume);
  }

  /** SIGSTOP or SIGCONT. */
  private interface Signal {
    void send(ProcessHandle to) throws IOException, InterruptedException;
  }

  private void signal(Signal signal) {
    try {
      signal.send(process.toHandle());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while sending a signal to " + name, e);
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** The exit code, when the process has ended and its output is read to the end. */
  public int awaitExit() {
    try {
      if (!process.waitFor(Poll.LONG.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(name + " does not end");
      }
      stdoutReader.join(Duration.ofSeconds(10).toMillis());
      stderrReader.join(Duration.ofSeconds(10).toMillis());
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for " + name, e);
    }
  }

  /** The children of this process, and their children. */
  public List<ProcessHandle> descendants() {
    return process.descendants().toList();
  }

  /** Everything that it said on both streams. */
  public synchronized String transcript() {
    return "--- " + name + " (pid " + process.pid() + ")\n" + String.join("\n", transcript) + "\n";
  }

  /** Ends it, if it lives. */
  @Override
  public void close() {
    kill();
    Runtime.getRuntime().removeShutdownHook(reaper);
  }
}
