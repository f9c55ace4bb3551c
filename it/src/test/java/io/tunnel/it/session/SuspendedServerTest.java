package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.contract.Contract;
import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.Phase;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that stands still and goes on, with all its connections. */
@Tag("proof-service")
class SuspendedServerTest {

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void a_worker_gives_a_silent_server_up_after_its_lease_and_goes_on_when_the_server_does() {
    ServerProcess server = stage.guardedServer();
    TableClient tables = stage.tables(server);
    TunnelClient tunnels = stage.tunnels(server);
    TestTable table = new TestTable("orders", 1);
    assertThat(table.create(tables).partitions()).hasSize(1);
    Contract.Values values = new Contract.Values();
    TunnelWorker worker =
        new TunnelWorker(
            table.createTunnel(tunnels, "audit"),
            tunnels,
            TunnelWorkerConfig.builder()
                .processor(values)
                .heartbeatTimeoutInSec(1)
                .checkpointIntervalInMillis(10)
                .maxRetryIntervalInMillis(50)
                .build());
    stage.closes(worker::shutdown);
    worker.connectAndWorking();
    write(tables, 1, 5);
    Channels channels = new Channels(tunnels, "orders", "audit");
    channels.awaitDrained();
    server.suspend();
    try {
      Poll.until(
          Poll.LONG,
          () -> worker.status().activity().phase() != Phase.WORKING,
          () -> "the session given up, but " + worker.status());
    } finally {
      server.resume();
    }
    write(tables, 6, 10);
    channels.awaitDrained();
    assertThat(values.all()).isEqualTo(LongStream.rangeClosed(1, 10).boxed().toList());
    assertThat(worker.status().counters().sessions()).isGreaterThan(1);
  }

  private static void write(TableClient tables, long first, long last) {
    for (long v = first; v <= last; v++) {
      RowPutChange row =
          new RowPutChange(
              TestTable.key(1, "a"), List.of(new Column("v", ColumnValue.fromLong(v))));
      tables.write("orders", List.of(row));
    }
  }
}
