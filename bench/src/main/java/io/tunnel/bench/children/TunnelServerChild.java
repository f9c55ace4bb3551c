package io.tunnel.bench.children;

import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Our server with its defaults, in the heap that the launcher gives it. */
public final class TunnelServerChild {

  private static final String NAME = "tunnel";
  private static final List<String> JVM = List.of("-Xmx1g");
  private static final String READY = "tunnel server listening on ";
  private static final long START_SECONDS_MAX = 60;

  private final Process process;
  private final String endpoint;

  private TunnelServerChild(Process process, String endpoint) {
    this.process = process;
    this.endpoint = endpoint;
  }

  /** Starts it and waits until it takes requests. */
  public static TunnelServerChild start(Children children, LoadClock clock) throws IOException {
    return start(children, clock, List.of());
  }

  /** Starts it with further options. */
  public static TunnelServerChild start(Children children, LoadClock clock, List<String> options)
      throws IOException {
    return start(children, clock, NAME, options);
  }

  /** Starts a server with further options; {@code name} also names the directory of the server. */
  static TunnelServerChild start(
      Children children, LoadClock clock, String name, List<String> options) throws IOException {
    Path data = children.directory().resolve(name);
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        List.of("server", "--data", data.toString(), "--port", "0", "--http-port", "-1"));
    arguments.addAll(options);
    Path log = children.log(name);
    // Of an earlier one of that name.
    var unused = Files.deleteIfExists(log);
    Process process = children.start(name, JVM, "io.tunnel.cli.TunnelCommand", arguments);
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    Optional<String> endpoint = endpoint(log);
    while (endpoint.isEmpty()) {
      if (!process.isAlive() || clock.nanos() - deadlineNanos > 0) {
        throw new IllegalStateException("the server did not start: " + Files.readString(log));
      }
      clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(50), () -> false);
      endpoint = endpoint(log);
    }
    return new TunnelServerChild(process, endpoint.get());
  }

  private static Optional<String> endpoint(Path log) throws IOException {
    String printed = Files.readString(log);
    int from = printed.indexOf(READY);
    int end = printed.indexOf('\n', Math.max(0, from));
    return from < 0 || end < 0
        ? Optional.empty()
        : Optional.of(printed.substring(from + READY.length(), end).strip());
  }

  /** Where clients connect. */
  public String endpoint() {
    return endpoint;
  }

  /** Processor time that it has used. */
  public long cpuNanos() {
    return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
  }

  /** Ends it from one moment to the next, as SIGKILL does. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Names the process. */
  public long pid() {
    return process.pid();
  }
}
