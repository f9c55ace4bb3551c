package io.tunnel.zookeeper;

import io.tunnel.kafka.broker.ChildJvm;
import io.tunnel.kafka.broker.FreePorts;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** One server of ZooKeeper, or several that form an ensemble, each a process on loopback. */
final class Ensemble implements LoadPeer.Servers {

  /** Stands in the command of a server for its number, from 1. */
  static final String SERVER_NUMBER = "@server@";

  private static final int LOOKS_MAX = 1_200;
  private static final long LOOK_MS = 50;
  private static final int TIMEOUT_MS = 1_000;
  private static final int LOG_LINES_SHOWN_MAX = 15;

  /** What a server answers to {@code srvr} when it takes requests. */
  private static final String SERVES = "Mode: ";

  private final List<Process> processes = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();
  private final List<String> load;
  private final Path gcLog;

  private Ensemble(List<String> load, Path gcLog) {
    this.load = List.copyOf(load);
    this.gcLog = gcLog;
  }

  /**
   * Starts servers, and returns when all of them take connections.
   *
   * @param server the command of a server, without its configuration
   * @param load the command of the load, without the addresses of the servers
   * @throws IOException when a server does not start; shows the end of its log
   */
  static Ensemble start(Path directory, int servers, List<String> server, List<String> load)
      throws IOException {
    Ensemble ensemble = new Ensemble(load, directory.resolve("gc-1.log"));
    try {
      ensemble.startAll(directory, servers, server);
      return ensemble;
    } catch (IOException e) {
      ensemble.close();
      throw e;
    }
  }

  private void startAll(Path directory, int servers, List<String> server) throws IOException {
    List<Integer> free = FreePorts.find(3 * servers);
    List<ServerConfig.Member> members = new ArrayList<>();
    for (int i = 0; i < servers && servers > 1; i++) {
      members.add(
          new ServerConfig.Member(free.get(servers + 2 * i), free.get(servers + 2 * i + 1)));
    }
    for (int i = 0; i < servers; i++) {
      int number = i + 1;
      Path data = Files.createDirectories(directory.resolve("server-" + number));
      Files.writeString(data.resolve("myid"), String.valueOf(number), StandardCharsets.UTF_8);
      Path config = directory.resolve("zoo-" + number + ".cfg");
      Files.writeString(
          config, new ServerConfig(data, free.get(i), members).text(), StandardCharsets.UTF_8);
      List<String> command = new ArrayList<>(server);
      command.replaceAll(word -> word.replace(SERVER_NUMBER, String.valueOf(number)));
      command.add(config.toString());
      processes.add(
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log(directory, i).toFile())
              .start());
      ports.add(free.get(i));
    }
    for (int i = 0; i < servers; i++) {
      await(i, log(directory, i));
    }
  }

  private static Path log(Path directory, int server) {
    return directory.resolve("server-" + (server + 1) + ".log");
  }

  private void await(int server, Path log) throws IOException {
    CountDownLatch never = new CountDownLatch(1);
    try {
      for (int look = 0; look < LOOKS_MAX && processes.get(server).isAlive(); look++) {
        if (serves(ports.get(server))) {
          return;
        }
        var unused = never.await(LOOK_MS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while ZooKeeper started", e);
    }
    throw new IOException(
        "ZooKeeper did not start; the end of its log:\n"
            + ChildJvm.endOf(log, LOG_LINES_SHOWN_MAX));
  }

  private static boolean serves(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
          .contains(SERVES);
    } catch (IOException notYet) {
      return false;
    }
  }

  @Override
  public List<Long> pids() {
    return processes.stream().map(Process::pid).toList();
  }

  @Override
  public Path gcLog() {
    return gcLog;
  }

  @Override
  public String settings() {
    return "ZooKeeper has the settings of its sample file, with maxClientCnxns 0 and without its HTTP"
        + " server; it syncs each write. A server has the heap of its start script, about 1 GiB, and"
        + " twice the data of all paths; log and snapshots share a disk.";
  }

  @Override
  public List<String> loadCommand() {
    List<String> command = new ArrayList<>(load);
    command.add(ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",")));
    return command;
  }

  @Override
  public void close() {
    processes.forEach(Process::destroy);
    processes.forEach(ChildJvm::awaitEnd);
  }
}
