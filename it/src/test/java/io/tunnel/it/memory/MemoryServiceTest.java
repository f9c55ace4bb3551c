package io.tunnel.it.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The engine in memory recovers as a server does, and leaves no thread. */
class MemoryServiceTest {

  private static final String TABLE = "users";

  private static RowChange user(long id) {
    return Row.key("id", id).put();
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static boolean isThere(TableClient tables, long id) {
    return tables.getRow(TABLE, key(id)).isPresent();
  }

  private static void create(TableClient tables, Durability durability) {
    var unused =
        tables.createTable(
            CreateTableRequest.builder(TABLE)
                .key("id", PrimaryKeyType.INTEGER)
                .durability(durability)
                .build());
  }

  @Test
  void acknowledged_rows_and_tunnels_survive_the_death_of_the_process() {
    try (MemoryService service = MemoryService.start();
        TableClient tables = TableClient.connect("127.0.0.1:" + service.port());
        TunnelClient tunnels = new TunnelClient("127.0.0.1:" + service.port())) {
      create(tables, Durability.OS);
      String tunnelId =
          tunnels
              .createTunnel(new CreateTunnelRequest(TABLE, "audit", TunnelType.Stream))
              .getTunnelId();
      for (int life = 1; life <= 3; life++) {
        tables.write(TABLE, List.of(user(life)));
        service.crashAndRestart(false);
        for (int id = 1; id <= life; id++) {
          assertThat(isThere(tables, id)).as("row %d in life %d", id, life).isTrue();
        }
      }
      assertThat(tunnels.listTunnel(new ListTunnelRequest(TABLE)).getTunnelInfos())
          .singleElement()
          .satisfies(tunnel -> assertThat(tunnel.getTunnelId()).isEqualTo(tunnelId));
    }
  }

  @Test
  void a_loss_of_power_takes_unsynced_rows_and_no_synced_row() {
    try (MemoryService service = MemoryService.start();
        TableClient tables = TableClient.connect("127.0.0.1:" + service.port())) {
      create(tables, Durability.FSYNC);
      tables.write(TABLE, List.of(user(1)));
      service.crashAndRestart(true);
      assertThat(isThere(tables, 1)).isTrue();
      tables.dropTable(TABLE);
      create(tables, Durability.OS);
      tables.write(TABLE, List.of(user(2)));
      service.crashAndRestart(true);
      assertThat(isThere(tables, 1)).as("row of a dropped table").isFalse();
      assertThat(isThere(tables, 2)).as("unsynced row").isFalse();
      tables.write(TABLE, List.of(user(3)));
      assertThat(isThere(tables, 3)).isTrue();
    }
  }

  @Test
  void no_thread_outlives_the_service() {
    MemoryService.start().close();
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(Thread::isAlive)
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("engine-in-memory"));
  }
}
