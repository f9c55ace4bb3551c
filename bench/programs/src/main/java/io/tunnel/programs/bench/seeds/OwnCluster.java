package io.tunnel.programs.bench.seeds;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.servers.ClusterProcesses;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cluster of this service with the table of a registry. */
final class OwnCluster implements SeedServer {

  /** The broker syncs each batch before it answers, as a server alone and etcd do. */
  private static final Map<String, String> BROKER = Map.of("log.flush.interval.messages", "1");

  /** Long enough for nodes that wait for their turn on a busy machine. */
  private static final int SESSION_MS = 15_000;

  private static final Duration LEADERS_MAX = Duration.ofMinutes(1);

  private final ClusterProcesses processes;
  private final Load load;
  private final RegistryTable table;

  private OwnCluster(ClusterProcesses processes, Load load, RegistryTable table) {
    this.processes = processes;
    this.load = load;
    this.table = table;
  }

  /** Starts a broker and the nodes, and returns when every partition has a leader. */
  static OwnCluster start(Path directory, Optional<Integer> threads, Load load, LoadClock clock)
      throws IOException, InterruptedException {
    OwnServer.Settings settings = new OwnServer.Settings(threads, Optional.empty(), load.clients());
    ClusterProcesses processes = processes(directory, settings, load.servers(), clock);
    try (TableClient client =
        TableClient.connect(ClientConfig.of(processes.endpoint()).withRetryDeadline(LEADERS_MAX))) {
      return new OwnCluster(processes, load, RegistryTable.create(client, "names", load));
    } catch (RuntimeException e) {
      processes.close();
      throw e;
    }
  }

  /** Starts a broker and the nodes, each with these settings; everything is below a directory. */
  static ClusterProcesses processes(
      Path directory, OwnServer.Settings settings, int nodes, LoadClock clock)
      throws IOException, InterruptedException {
    Path config = settings.write(directory);
    return ClusterProcesses.start(
        TunnelCommand.class.getName(),
        new ClusterProcesses.Setup(
            directory.resolve("data"),
            directory,
            nodes,
            SESSION_MS,
            BROKER,
            List.of("--config", config.toString())),
        LoopbackSecurity.none(),
        clock);
  }

  /** The names. */
  RegistryTable table() {
    return table;
  }

  @Override
  public int port(int client) {
    return table.leader(client).orElseThrow().port();
  }

  /** Of a node, on average, without the broker. */
  @Override
  public long residentBytes() {
    return processes.residentBytes() / load.servers();
  }

  @Override
  public void close() {
    processes.close();
  }
}
