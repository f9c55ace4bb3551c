package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server, a writer and a worker, each a process: what goes in comes out. */
class WriteConsumeTest {

  private static final int ROWS = 30_000;

  @RegisterExtension final Stage stage = new Stage();

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 128})
  void every_acknowledged_row_is_consumed_exactly_once_and_in_order(int partitions) {
    ServerProcess server = stage.server();
    TableClient tables = stage.tables(server);
    TunnelClient tunnels = stage.tunnels(server);
    TestTable table = new TestTable("orders", partitions);
    var unused = table.create(tables);
    String tunnelId = table.createTunnel(tunnels, "audit");

    WorkerProcess worker =
        new WorkerProcess(stage, server, tunnelId, "worker", Duration.ofMillis(200));
    Ledger ledger = new Ledger(new WriterProcess(stage, server, table, 42, ROWS).awaitEnd());
    new Channels(tunnels, "orders", "audit").awaitDrained();
    List<Seen> seen = worker.stop();
    server.stop();

    assertThat(ledger.count(Outcome.APPLIED)).isEqualTo(ROWS);
    Sightings sightings = new Sightings().add(seen);
    assertThat(sightings.repeated()).isZero();
    assertThat(sightings.count()).isEqualTo(ROWS);
    assertThat(sightings.changes()).hasSize(partitions);
    assertThat(ledger.requireConsumed(sightings)).isZero();

    TableClient again = stage.tables(server.start());
    Ledger.requireTable(again, "orders", sightings);
  }
}
