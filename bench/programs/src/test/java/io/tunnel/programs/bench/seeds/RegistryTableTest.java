package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.programs.bench.seeds.Workload.Load;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegistryTableTest {

  private static Load of(int clients, int servers) {
    return new Load(
        clients, 64, 1_000, 1, Optional.empty(), Optional.empty(), servers, Optional.empty());
  }

  /** What {@link RegistryTable} says must be where the client's names lie. */
  @Test
  void the_names_of_a_client_lie_between_the_split_points_of_its_partition() {
    for (int clients = 1; clients < 40; clients++) {
      Load load = of(clients, 3);
      List<PrimaryKeyValue> points = RegistryTable.splitPoints(load);
      int partitions = points.size() + 1;
      assertThat(partitions).isEqualTo(Math.min(3, clients));
      for (int client = 0; client < clients; client++) {
        String name = new Names(64, 1).text(client, 0);
        long partition =
            points.stream().filter(point -> point.asString().compareTo(name) <= 0).count();
        assertThat(partition)
            .as("client %d of %d", client, clients)
            .isEqualTo((long) client * partitions / clients);
      }
    }
  }
}
