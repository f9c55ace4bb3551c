package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server with clients that behave: a writer reads its rows back, and a worker consumes the
 * changes. Hostile clients must not disturb these clients.
 */
final class CalmServer {

  private static final int ROWS_PER_ROUND = 4;
  private static final String TABLE = "calm";

  private final ServerProcess server;
  private final TableClient tables;
  private final TunnelWorker worker;
  private final Recorder recorder = new Recorder();
  private final List<Written> written = new ArrayList<>();
  private final AtomicLong rounds = new AtomicLong();
  private final CompletableFuture<Void> end;
  private volatile boolean mustEnd;

  CalmServer(Stage stage) {
    this(stage, stage.server());
  }

  CalmServer(Stage stage, ServerProcess server) {
    this.server = server;
    tables = stage.tables(server);
    TestTable table = new TestTable(TABLE, 4);
    var unused = table.create(tables);
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = table.createTunnel(tunnels, "calm");
    worker = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(recorder));
    stage.closes(worker::shutdown);
    worker.connectAndWorking();
    end = CompletableFuture.runAsync(this::writeAndRead, task -> new Thread(task, "calm").start());
    stage.closes(() -> mustEnd = true);
  }

  ServerProcess server() {
    return server;
  }

  private void writeAndRead() {
    for (long round = 0; !mustEnd; round++) {
      List<RowPutChange> rows = new ArrayList<>();
      for (int i = 0; i < ROWS_PER_ROUND; i++) {
        rows.add(TestTable.put(i * 1_000L + round % 100, "calm", round));
      }
      BatchWriteResult result = tables.tryWrite(TABLE, List.copyOf(rows));
      for (int i = 0; i < ROWS_PER_ROUND; i++) {
        written.add(Written.of(written.size(), Mutation.of(rows.get(i)), result.results().get(i)));
      }
      assertThat(result.allApplied()).as("%s", result).isTrue();
      Optional<Row> read = tables.getRow(TABLE, rows.get(0).primaryKey());
      assertThat(read.orElseThrow().value("v").orElseThrow().asLong()).isEqualTo(round);
      rounds.incrementAndGet();
    }
  }

  /** The server is healthy, and a whole round from now on goes well. */
  void requireHealthy() {
    assertThat(server.isAlive()).isTrue();
    assertThat(server.http("/health", 200)).contains("\"UP\"");
    long target = rounds.get() + 2;
    Poll.until(
        "a round of the calm clients",
        () -> end.isCompletedExceptionally() || rounds.get() >= target);
    assertThat(end).isNotCompletedExceptionally();
  }

  /** Ends the calm clients, which have seen no error and everything exactly once. */
  void requireUndisturbed() {
    mustEnd = true;
    end.join();
    Poll.until("all calm rows consumed", () -> recorder.count() >= written.size());
    TunnelWorkerStatus status = worker.status();
    worker.shutdown();
    Sightings sightings = new Sightings().add(recorder.seen());
    Ledger ledger = new Ledger(written);
    assertThat(ledger.count(Outcome.APPLIED)).isEqualTo(written.size());
    assertThat(ledger.requireConsumed(sightings)).isZero();
    assertThat(sightings.repeated()).isZero();
    assertThat(status.lastError()).isEmpty();
    assertThat(status.counters().sessions()).isEqualTo(1);
    assertThat(server.child().transcript())
        .as("what the server blames itself for")
        .doesNotContain("] ERROR ")
        .doesNotContain("\tat ");
  }
}
