package io.tunnel.programs.bench.seeds;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.servers.ClusterProcesses;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A cluster of this service with the table of a registry: one partition for each node, as far as
 * there are clients. A client's names lie in one partition, and the client asks the node that leads
 * it, as the SDK does.
 */
final class OwnCluster implements SeedServer {

  /** The broker syncs each batch before it answers, as a server alone and etcd do. */
  private static final Map<String, String> BROKER = Map.of("log.flush.interval.messages", "1");

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LEADERS_SECONDS_MAX = 60;

  private final DataDirectory files;
  private final ClusterProcesses processes;
  private final Load load;
  private final TableInfo table;

  private OwnCluster(DataDirectory files, ClusterProcesses processes, Load load, TableInfo table) {
    this.files = files;
    this.processes = processes;
    this.load = load;
    this.table = table;
  }

  /** Starts a broker and the nodes, and returns when every partition has a leader. */
  static OwnCluster start(Path directory, Optional<Integer> threads, Load load, LoadClock clock)
      throws IOException, InterruptedException {
    DataDirectory files = DataDirectory.temporary("nodes", Files.createDirectories(directory));
    Path config = directory.resolve("config.json");
    OwnServer.Settings settings =
        new OwnServer.Settings(threads, Optional.empty(), load.clients());
    Files.writeString(config, settings.text(), StandardCharsets.UTF_8);
    ClusterProcesses processes =
        ClusterProcesses.start(
            TunnelCommand.class.getName(),
            new ClusterProcesses.Setup(
                files.data(),
                files.logs(),
                load.servers(),
                BROKER,
                List.of("--config", config.toString())),
            LoopbackSecurity.none(),
            clock);
    try (TableClient client = TableClient.connect(processes.endpoint())) {
      TableMeta meta =
          new TableMeta("names", TableRequests.KEY, new TableOptions(Durability.FSYNC));
      var unused = client.createTable(meta, splitPoints(load));
      return new OwnCluster(files, processes, load, awaitLeaders(client, meta.name(), clock));
    } catch (InterruptedException | RuntimeException e) {
      processes.close();
      throw e;
    }
  }

  /** Where the names of the first client of each further partition begin. */
  static List<PrimaryKeyValue> splitPoints(Load load) {
    int partitions = partitions(load);
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (int partition = 1; partition < partitions; partition++) {
      int first = (partition * load.clients() + partitions - 1) / partitions;
      points.add(PrimaryKeyValue.fromString(Names.beginning(first)));
    }
    return points;
  }

  private static int partitions(Load load) {
    return Math.min(load.servers(), load.clients());
  }

  private static TableInfo awaitLeaders(TableClient client, String name, LoadClock clock)
      throws InterruptedException {
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(LEADERS_SECONDS_MAX);
    TableInfo table = client.partitionMap(name);
    while (table.partitions().stream().anyMatch(each -> each.leader().isEmpty())) {
      if (clock.nanos() - deadlineNanos > 0) {
        throw CommandFailure.failed("a partition has no leader after a minute: " + table);
      }
      clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
      table = client.partitionMap(name);
    }
    return table;
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
  public void close() throws IOException {
    try {
      processes.close();
    } finally {
      files.delete();
    }
  }
}
