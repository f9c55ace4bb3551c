package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One etcd, as Debian's package {@code etcd-server} has it, with its defaults: each write is synced
 * before the answer. A shell between this process and etcd ends etcd when this process ends in any
 * way, because its standard input then ends.
 */
final class EtcdServer implements SeedServer {

  private static final String PROGRAM = "etcd";

  /** Ends with etcd; without input to read any more, etcd ends first. */
  private static final String SHELL =
      "exec 3<&0; \"$@\" & child=$!; (cat <&3 > /dev/null; kill $child) 2> /dev/null & wait $child";

  private static final long START_SECONDS_MAX = 30;
  private static final long STOP_SECONDS_MAX = 10;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int TIMEOUT_MS = 1_000;
  private static final int LOG_LINES_SHOWN = 5;

  private final Process shell;
  private final int port;

  private EtcdServer(Process shell, int port) {
    this.shell = shell;
    this.port = port;
  }

  /** The program in the directories of PATH; empty where it is not installed. */
  static Optional<Path> installed(String path) {
    return Arrays.stream(path.split(":"))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, PROGRAM))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Starts one on free ports, and waits until it takes requests.
   *
   * @param directory is made
   * @throws CommandFailure when it does not start
   */
  static EtcdServer start(Path program, Path directory, LoadClock clock)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path log = directory.resolve("etcd.log");
    int port = freePort();
    List<String> command = new ArrayList<>(List.of("sh", "-c", SHELL, "sh"));
    command.addAll(command(program, directory, port, freePort()));
    Process shell =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    EtcdServer server = new EtcdServer(shell, port);
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    while (!server.isHealthy()) {
      if (clock.nanos() - deadlineNanos > 0 || !shell.isAlive()) {
        server.close();
        throw CommandFailure.failed(
            "etcd did not start:\n" + JavaProgram.lastLines(log, LOG_LINES_SHOWN));
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
    }
    return server;
  }

  private static List<String> command(Path program, Path directory, int port, int peerPort) {
    String clients = "http://127.0.0.1:" + port;
    String peers = "http://127.0.0.1:" + peerPort;
    return List.of(
        program.toString(),
        "--name=seed",
        "--data-dir=" + directory.resolve("data"),
        "--listen-client-urls=" + clients,
        "--advertise-client-urls=" + clients,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=seed=" + peers);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private boolean isHealthy() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + port + "/health").toURL().openConnection();
      connection.setConnectTimeout(TIMEOUT_MS);
      connection.setReadTimeout(TIMEOUT_MS);
      try (InputStream body = connection.getInputStream()) {
        return new String(body.readAllBytes(), StandardCharsets.UTF_8).contains("true");
      } finally {
        connection.disconnect();
      }
    } catch (IOException notYet) {
      return false;
    }
  }

  /** The process of etcd, a child of the shell. */
  private Optional<Long> pid() {
    return shell
        .children()
        .filter(
            child ->
                child.info().command().stream()
                    .anyMatch(program -> Path.of(program).endsWith(PROGRAM)))
        .map(ProcessHandle::pid)
        .findFirst();
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public long residentBytes() {
    return pid().map(JavaProgram::residentBytes).orElse(0L);
  }

  @Override
  public void close() throws IOException {
    shell.getOutputStream().close();
    try {
      if (shell.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    shell.descendants().forEach(ProcessHandle::destroyForcibly);
    shell.destroyForcibly();
  }
}
