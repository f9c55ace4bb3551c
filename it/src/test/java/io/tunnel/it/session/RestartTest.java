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
import io.tunnel.model.Durability;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server that stops or dies while a writer writes and a worker consumes, and comes back on the
 * same directory and port. Both go on by themselves.
 */
@Tag("proof-service")
class RestartTest {

  private static final long WITHOUT_END = Long.MAX_VALUE;
  private static final int ROWS = 3_000;
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(100);

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private TestTable table;
  private Channels channels;
  private WorkerProcess worker;
  private WriterProcess writer;

  private void begin(int partitions, Durability durability) {
    server = durability == Durability.OS ? stage.server() : stage.guardedServer();
    table = new TestTable("orders", partitions, durability);
    var unused = table.create(stage.tables(server));
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = table.createTunnel(tunnels, "audit");
    channels = new Channels(tunnels, "orders", "audit");
    worker = new WorkerProcess(stage, server, tunnelId, "worker", CHECKPOINT_INTERVAL);
    writer = new WriterProcess(stage, server, table, 7, WITHOUT_END);
    writer.awaitMoreApplied(ROWS);
    channels.awaitProgress();
  }

  /** Promises that hold after any end of the server; returns what was told to the writer. */
  private Ledger requireNothingLost() {
    Ledger ledger = new Ledger(writer.stop());
    channels.awaitDrained();
    Sightings sightings = new Sightings().add(worker.stop());
    int applied = ledger.requireConsumed(sightings);
    assertThat(applied).isLessThanOrEqualTo(ledger.count(Outcome.IN_DOUBT));
    assertThat(sightings.count()).isEqualTo(ledger.count(Outcome.APPLIED) + applied);
    assertThat(ledger.count(Outcome.REJECTED)).isZero();
    assertThat(ledger.count(Outcome.NOT_SENT)).isZero();
    TableClient tables = stage.tables(server);
    Ledger.requireTable(tables, "orders", sightings);
    return ledger;
  }

  @Test
  void a_graceful_restart_in_the_middle_loses_nothing_and_leaves_no_row_in_doubt() {
    begin(8, Durability.FSYNC);
    server.stop();
    server.start();
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = requireNothingLost();
    assertThat(ledger.with(Outcome.IN_DOUBT)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void nothing_acknowledged_is_missing_after_the_server_was_killed(Durability durability) {
    begin(8, durability);
    server.kill();
    server.start();
    writer.awaitMoreApplied(ROWS);
    // What the killed server has not answered is repeated, and applied once.
    assertThat(requireNothingLost().with(Outcome.IN_DOUBT)).isEmpty();
  }

  @Test
  void nothing_acknowledged_is_missing_after_the_server_was_killed_five_times() {
    begin(4, Durability.FSYNC);
    for (int i = 0; i < 5; i++) {
      server.kill();
      server.start();
      writer.awaitMoreApplied(ROWS / 3);
    }
    // What the killed server has not answered is repeated, and applied once.
    assertThat(requireNothingLost().with(Outcome.IN_DOUBT)).isEmpty();
  }

  @Test
  void a_worker_that_comes_after_a_restart_starts_behind_the_checkpoint() {
    begin(4, Durability.FSYNC);
    Ledger ledger = new Ledger(writer.stop());
    channels.awaitDrained();
    List<Seen> before = worker.stop();
    Map<Integer, Long> checkpoints = channels.checkpoints();
    String tunnelId = channels.tunnelId();
    server.kill();
    server.start();
    assertThat(channels.checkpoints()).isEqualTo(checkpoints);

    Ledger more = new Ledger(new WriterProcess(stage, server, table, 8, 400).awaitEnd());
    WorkerProcess second =
        new WorkerProcess(stage, server, tunnelId, "second", CHECKPOINT_INTERVAL);
    channels.awaitDrained();
    List<Seen> after = second.stop();

    assertThat(after).hasSize(400);
    assertThat(after)
        .allMatch(seen -> seen.position() > checkpoints.get(seen.partition()), "is new");
    assertThat(more.requireConsumed(new Sightings().add(after))).isZero();
    assertThat(ledger.requireConsumed(new Sightings().add(before))).isZero();
    Ledger.requireTable(stage.tables(server), "orders", new Sightings().add(before).add(after));
  }
}
