package io.tunnel.programs.bench.seeds;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.servers.ClusterProcesses;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A cluster of this service with the table of a registry: one partition for each node, as far as
 * there are clients. A client's names lie in one partition, and the client asks the node that leads
 * it, as the SDK does.
 */
final class OwnCluster implements SeedServer {

  /** The broker syncs each batch before it answers, as a server alone and etcd do. */
  private static final Map<String, String> BROKER = Map.of("log.flush.interval.messages", "1");

  /** Long enough for nodes that wait for their turn on a busy machine. */
  private static final int SESSION_MS = 15_000;

  private static final Duration LEADERS_MAX = Duration.ofMinutes(1);

  private final ClusterProcesses processes;
  private final Load load;
  private final TableInfo table;

  private OwnCluster(ClusterProcesses processes, Load load, TableInfo table) {
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
      TableMeta meta =
          new TableMeta("names", TableRequests.KEY, new TableOptions(Durability.FSYNC));
      var unused = client.createTable(meta, splitPoints(load));
      return new OwnCluster(processes, load, awaitLeaders(client, meta.name(), load));
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

  /** Where the names of the first client of each further partition begin. */
  static List<PrimaryKeyValue> splitPoints(Load load) {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (int partition = 1; partition < partitions(load); partition++) {
      points.add(PrimaryKeyValue.fromString(Names.beginning(firstClient(partition, load))));
    }
    return points;
  }

  private static int firstClient(int partition, Load load) {
    int partitions = partitions(load);
    return (partition * load.clients() + partitions - 1) / partitions;
  }

  private static int partitions(Load load) {
    return Math.min(load.servers(), load.clients());
  }

  /** A read is answered when its partition has a leader that serves it. */
  private static TableInfo awaitLeaders(TableClient client, String table, Load load) {
    for (int partition = 0; partition < partitions(load); partition++) {
      String name = new Names(load.bytes(), 1).text(firstClient(partition, load), 0);
      var unused = client.getRow(table, PrimaryKey.builder().add("name", name).build());
    }
    return client.partitionMap(table);
  }

  int tableId() {
    return table.tableId();
  }

  /** The partition of a client's names. */
  int partition(int client) {
    return partitionOf(client).id();
  }

  private PartitionInfo partitionOf(int client) {
    return table.partitions().get((int) ((long) client * partitions(load) / load.clients()));
  }

  @Override
  public int port(int client) {
    return Endpoint.of(partitionOf(client).leader().orElseThrow()).port();
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
