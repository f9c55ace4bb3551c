package io.tunnel.programs.bench;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.model.Durability;
import io.tunnel.model.TableOptions;
import io.tunnel.programs.bench.beside.Stage;
import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.CpuTimes;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.programs.servers.ChildProcesses;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.programs.servers.Interrupt;
import io.tunnel.programs.servers.ServerProcess;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a benchmark runs: a server with its defaults as a process on loopback, in a temporary
 * directory. Both go when this is closed, and when the benchmark is interrupted.
 */
final class Ground implements AutoCloseable {

  private static final String NAME = "server";

  /**
   * As {@code bench peers} has it unless told otherwise: a little time for others to join a batch.
   */
  private static final BatchSettings BATCHES = new BatchSettings(5, 64L << 20, 64 << 10, 256 << 10);

  private final BenchOptions options;
  private final LoadClock clock;
  private final DataDirectory directory;
  private final ServerProcess server;
  private final StepProgress progress;
  private final Interrupt interrupt;
  private final List<TunnelPeer> peers = new ArrayList<>();
  private int tables;

  private Ground(
      BenchOptions options,
      LoadClock clock,
      DataDirectory directory,
      ServerProcess server,
      Interrupt interrupt) {
    this.options = options;
    this.clock = clock;
    this.directory = directory;
    this.server = server;
    this.interrupt = interrupt;
    this.progress = new StepProgress(interrupt.err(), clock);
  }

  /** Starts the server. */
  static Ground make(BenchOptions options, Interrupt interrupt, LoadClock clock)
      throws IOException, InterruptedException {
    DataDirectory directory = DataDirectory.temporary("bench", options.report().work());
    interrupt.leaves(() -> remove(directory));
    try {
      say(interrupt, "starting a server on " + directory.data());
      List<String> jvm = List.of("-Xlog:gc:file=" + gcLog(directory));
      ServerProcess server =
          ServerProcess.start(
              TunnelCommand.class.getName(), directory.data(), directory.log(NAME), jvm);
      return new Ground(options, clock, directory, server, interrupt);
    } catch (IOException | RuntimeException e) {
      directory.delete();
      throw e;
    }
  }

  private static void say(Interrupt interrupt, String what) {
    interrupt.err().println(what);
    interrupt.err().flush();
  }

  /** Tells people what is done. */
  void say(String what) {
    say(interrupt, what);
  }

  /** When the benchmark is interrupted, {@code more} goes first, then what is here anyway. */
  void alsoLeaves(Interrupt.Remains more) {
    interrupt.leaves(
        () -> {
          String left = more.remove();
          return left + remove(directory);
        });
  }

  private static Path gcLog(DataDirectory directory) {
    return directory.log("gc");
  }

  private static String remove(DataDirectory directory) throws IOException {
    ChildProcesses.kill();
    directory.delete();
    // One that was just being started; it ends with us, but must not make its directory again.
    ChildProcesses.kill();
    directory.delete();
    return "";
  }

  /** The service, with tables of that durability. */
  TunnelPeer peer(Durability durability) {
    return peer(new TableOptions(durability));
  }

  /** The service, with tables of those options. */
  TunnelPeer peer(TableOptions table) {
    return peer(table.durability().name(), table, BATCHES);
  }

  /** The service under that name, with tables of that durability and writers of those batches. */
  TunnelPeer peer(String name, Durability durability, BatchSettings batches) {
    return peer(name, new TableOptions(durability), batches);
  }

  private TunnelPeer peer(String name, TableOptions table, BatchSettings batches) {
    TunnelPeer.Servers servers = TunnelPeer.Servers.one(server.endpoint(), server::cpuNanos);
    TunnelPeer peer = new TunnelPeer(name, servers, table, batches);
    peers.add(peer);
    return peer;
  }

  /** A writer of rows of that plan. */
  RowLoad load(RowPlan plan) {
    return new RowLoad(options.writers(), options.stepSecondsMax(), plan, progress, clock);
  }

  /** What rounds side by side run on, for so long at most. */
  Stage stage(int minutesMax) {
    return new Stage(
        load(RowPlan.DEFAULT),
        options.stepSecondsMax(),
        Stage.Deadline.in(minutesMax, clock),
        progress,
        clock);
  }

  /** Returns when the server has done what it put off. */
  void settle() {
    CpuTimes.settle(List.of(peers.get(0)), clock);
  }

  /** A name that no table had. */
  String nextTable() {
    tables++;
    return "t" + tables;
  }

  LoadClock clock() {
    return clock;
  }

  BenchOptions options() {
    return options;
  }

  StepProgress progress() {
    return progress;
  }

  ServerProcess server() {
    return server;
  }

  DataDirectory directory() {
    return directory;
  }

  /** What the server's garbage collections say. */
  Path gcLog() {
    return gcLog(directory);
  }

  @Override
  public void close() throws IOException {
    try {
      peers.forEach(TunnelPeer::close);
    } finally {
      server.close();
      directory.delete();
    }
  }
}
