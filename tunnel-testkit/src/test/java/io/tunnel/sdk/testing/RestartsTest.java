package io.tunnel.sdk.testing;

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
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What a crash and a loss of power leave, again and again. */
class RestartsTest {

  private static final String TABLE = "users";

  @AutoClose private final InMemoryTunnelService service = InMemoryTunnelService.start();
  @AutoClose private final TableClient tables = TableClient.connect(service.endpoint());
  @AutoClose private final TunnelClient tunnels = new TunnelClient(service.endpoint());

  private static RowChange user(long id) {
    return Row.key("id", id).put();
  }

  private boolean isThere(long id) {
    return tables.getRow(TABLE, PrimaryKey.builder().add("id", id).build()).isPresent();
  }

  private void create(Durability durability) {
    service.createTable(
        CreateTableRequest.builder(TABLE)
            .key("id", PrimaryKeyType.INTEGER)
            .durability(durability)
            .build());
  }

  @Test
  void acknowledged_rows_and_tunnels_survive_the_death_of_the_process() {
    create(Durability.OS);
    String tunnelId = service.createTunnel(TABLE, "audit", TunnelType.Stream);
    for (int life = 1; life <= 3; life++) {
      tables.write(TABLE, List.of(user(life)));
      service.crashAndRestart();
      for (int id = 1; id <= life; id++) {
        assertThat(isThere(id)).as("row %d in life %d", id, life).isTrue();
      }
    }
    assertThat(tunnels.listTunnel(new ListTunnelRequest(TABLE)).getTunnelInfos())
        .singleElement()
        .satisfies(tunnel -> assertThat(tunnel.getTunnelId()).isEqualTo(tunnelId));
  }

  @Test
  void a_loss_of_power_takes_unsynced_rows_and_no_synced_row() {
    create(Durability.FSYNC);
    tables.write(TABLE, List.of(user(1)));
    service.losePowerAndRestart();
    assertThat(isThere(1)).isTrue();
    tables.dropTable(TABLE);
    create(Durability.OS);
    tables.write(TABLE, List.of(user(2)));
    service.losePowerAndRestart();
    assertThat(isThere(1)).as("row of a dropped table").isFalse();
    assertThat(isThere(2)).as("unsynced row").isFalse();
    tables.write(TABLE, List.of(user(3)));
    assertThat(isThere(3)).isTrue();
  }
}
