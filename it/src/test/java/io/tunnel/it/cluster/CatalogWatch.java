package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Stage;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client of the tests' own JVM that makes a table with a tunnel, controls that, and takes both
 * away, again and again. Each request is done once, and its client is told so, also while the
 * catalog and the tunnels get other leaders.
 */
final class CatalogWatch implements AutoCloseable {

  private static final String TUNNEL = "audit";
  private static final String PREFIX = "brief";

  private final TableClient tables;
  private final TunnelClient tunnels;
  private final AtomicInteger rounds = new AtomicInteger();
  private final Thread thread = new Thread(this::run, "catalog");
  private volatile Optional<String> failure = Optional.empty();
  private volatile boolean isOver;

  CatalogWatch(Stage stage, Cluster cluster) {
    tables = stage.tables(cluster);
    tunnels = stage.tunnels(cluster);
    thread.start();
  }

  private void run() {
    String at = "";
    try {
      while (!isOver) {
        String table = PREFIX + rounds.incrementAndGet();
        at = "creating " + table;
        var made = tables.createTable(new TestTable(table, 2).meta(), List.of());
        assertThat(made.partitions()).hasSize(1);
        at = "creating a tunnel of " + table;
        var tunnel =
            tunnels.createTunnel(new CreateTunnelRequest(table, TUNNEL, TunnelType.Stream));
        assertThat(tunnel.getTunnelId()).isNotEmpty();
        at = "pausing, seeking and resuming the tunnel of " + table;
        var paused = tunnels.pauseTunnel(new PauseTunnelRequest(table, TUNNEL));
        var sought = tunnels.seekTunnel(SeekTunnelRequest.toLatest(table, TUNNEL));
        var resumed = tunnels.resumeTunnel(new ResumeTunnelRequest(table, TUNNEL));
        assertThat(List.of(paused, sought, resumed)).doesNotContainNull();
        at = "deleting the tunnel of " + table;
        var deleted = tunnels.deleteTunnel(new DeleteTunnelRequest(table, TUNNEL));
        assertThat(deleted).isNotNull();
        at = "dropping " + table;
        tables.dropTable(table);
      }
    } catch (RuntimeException | AssertionError e) {
      failure = Optional.of(at + ": " + e);
    }
  }

  /** Waits for one more whole turn. */
  void awaitRound() {
    int wanted = rounds.get() + 2;
    Poll.until(
        Poll.LONG,
        () -> failure.isPresent() || rounds.get() >= wanted,
        () -> rounds + " rounds instead of " + wanted);
  }

  /** Ends it; nothing has failed, and nothing is left. */
  void end() {
    close();
    assertThat(failure).as("in round %d", rounds.get()).isEmpty();
    Poll.until(
        "no table left, wherever that is asked",
        () -> tables.listTables().stream().noneMatch(name -> name.startsWith(PREFIX)));
  }

  @Override
  public void close() {
    isOver = true;
    try {
      thread.join(Poll.LONG.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
