package io.tunnel.programs.bench.seeds;

import io.tunnel.kafka.broker.FreePorts;
import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
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
 * An etcd of one member or several, as Debian's package {@code etcd-server} has it, with its
 * defaults: a majority of the members has synced each write before the answer. A shell between this
 * process and each member ends the member when this process ends in any way, because its standard
 * input then ends.
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

  private final List<Member> members;

  private EtcdServer(List<Member> members) {
    this.members = List.copyOf(members);
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
   * Starts so many members on free ports, and waits until each takes requests.
   *
   * @param directory is made
   * @throws CommandFailure when one does not start
   */
  static EtcdServer start(Path program, Path directory, int members, LoadClock clock)
      throws IOException, InterruptedException {
    List<Integer> ports = FreePorts.find(2 * members);
    List<Integer> peerPorts = ports.subList(members, 2 * members);
    List<Member> started = new ArrayList<>();
    EtcdServer server;
    try {
      for (int number = 0; number < members; number++) {
        Path own = Files.createDirectories(directory.resolve(name(number)));
        started.add(
            Member.start(
                command(program, own, number, ports.get(number), peerPorts),
                ports.get(number),
                own.resolve("etcd.log")));
      }
    } finally {
      server = new EtcdServer(started);
      if (started.size() < members) {
        server.close();
      }
    }
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
    for (Member member : started) {
      while (!member.isHealthy()) {
        boolean hasEnded = !member.shell.isAlive();
        if (hasEnded || clock.nanos() - deadlineNanos > 0) {
          String why =
              hasEnded ? "its process has ended" : "no answer within " + START_SECONDS_MAX + " s";
          String log = JavaProgram.lastLines(member.log, LOG_LINES_SHOWN);
          server.close();
          throw CommandFailure.failed(
              "etcd did not start: " + why + "; the end of its log:\n" + log);
        }
        clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
      }
    }
    return server;
  }

  private static String name(int number) {
    return "seed" + (number + 1);
  }

  private static String url(int port) {
    return "http://127.0.0.1:" + port;
  }

  private static List<String> command(
      Path program, Path directory, int number, int port, List<Integer> peerPorts) {
    List<String> ensemble = new ArrayList<>();
    for (int each = 0; each < peerPorts.size(); each++) {
      ensemble.add(name(each) + "=" + url(peerPorts.get(each)));
    }
    return List.of(
        program.toString(),
        "--name=" + name(number),
        "--data-dir=" + directory.resolve("data"),
        "--listen-client-urls=" + url(port),
        "--advertise-client-urls=" + url(port),
        "--listen-peer-urls=" + url(peerPorts.get(number)),
        "--initial-advertise-peer-urls=" + url(peerPorts.get(number)),
        "--initial-cluster=" + String.join(",", ensemble));
  }

  /** A process. */
  private static final class Member {

    private final Process shell;
    private final int port;
    private final Path log;

    private Member(Process shell, int port, Path log) {
      this.shell = shell;
      this.port = port;
      this.log = log;
    }

    static Member start(List<String> etcd, int port, Path log) throws IOException {
      List<String> command = new ArrayList<>(List.of("sh", "-c", SHELL, "sh"));
      command.addAll(etcd);
      return new Member(
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start(),
          port,
          log);
    }

    /** Members are healthy when they have a leader. */
    boolean isHealthy() {
      try {
        HttpURLConnection connection =
            (HttpURLConnection) URI.create(url(port) + "/health").toURL().openConnection();
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
    Optional<Long> pid() {
      return shell
          .children()
          .filter(
              child ->
                  child.info().command().stream()
                      .anyMatch(program -> Path.of(program).endsWith(PROGRAM)))
          .map(ProcessHandle::pid)
          .findFirst();
    }

    void stop() {
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

  /** Clients take the members in turn. */
  @Override
  public int port(int client) {
    return members.get(client % members.size()).port;
  }

  @Override
  public long residentBytes() {
    return members.stream()
            .mapToLong(member -> member.pid().map(JavaProgram::residentBytes).orElse(0L))
            .sum()
        / members.size();
  }

  @Override
  public void close() throws IOException {
    for (Member member : members) {
      member.shell.getOutputStream().close();
    }
    members.forEach(Member::stop);
  }
}
