package io.tunnel.programs.bench.seeds;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The table of a registry: one partition for each server, as far as there are clients. A client's
 * names lie in one partition, and the client asks the node that leads it, as the SDK does.
 */
final class RegistryTable {

  private final TableInfo table;
  private final Load load;

  private RegistryTable(TableInfo table, Load load) {
    this.table = table;
    this.load = load;
  }

  /** Makes it, and returns when every partition answers. */
  static RegistryTable create(TableClient client, String name, Load load) {
    var unused =
        client.createTable(
            new TableMeta(name, TableRequests.KEY, new TableOptions(Durability.FSYNC)),
            splitPoints(load));
    for (int partition = 0; partition < partitions(load); partition++) {
      String text = new Names(load.bytes(), 1).text(firstClient(partition, load), 0);
      var unusedRow = client.getRow(name, PrimaryKey.builder().add("name", text).build());
    }
    return new RegistryTable(client.partitionMap(name), load);
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

  private PartitionInfo partitionOf(int client) {
    return table.partitions().get((int) ((long) client * partitions(load) / load.clients()));
  }

  /** The node that leads a client's names; none where a server is alone. */
  Optional<Endpoint> leader(int client) {
    return partitionOf(client).leader().map(Endpoint::of);
  }

  /** Requests that register names, or look them up. */
  Requests requests(boolean isPut, Names names) {
    return new TableRequests(isPut, names, table.tableId(), client -> partitionOf(client).id());
  }
}
