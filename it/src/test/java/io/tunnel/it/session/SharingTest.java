package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
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
import io.tunnel.sdk.TunnelClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Worker processes that share the eight channels of a tunnel while a writer goes on. */
@Tag("proof-service")
class SharingTest {

  private static final long WITHOUT_END = Long.MAX_VALUE;
  private static final int ROWS = 2_000;
  private static final Duration OFTEN = Duration.ofMillis(50);

  /** Nothing is checkpointed but at a graceful end. */
  private static final Duration NEVER = Duration.ofHours(1);

  /** Issue 2's figure is a second; a machine that also runs the rest of the build is given more. */
  private static final Duration SOON = Duration.ofSeconds(30);

  @RegisterExtension final Stage stage = new Stage();

  private ServerProcess server;
  private TestTable table;
  private String tunnelId;
  private Channels channels;
  private WriterProcess writer;

  @BeforeEach
  void begin() {
    server = stage.server();
    table = new TestTable("orders", 8);
    var unused = table.create(stage.tables(server));
    TunnelClient tunnels = stage.tunnels(server);
    tunnelId = table.createTunnel(tunnels, "audit");
    channels = new Channels(tunnels, "orders", "audit");
    writer = new WriterProcess(stage, server, table, 3, WITHOUT_END);
  }

  private WorkerProcess worker(String tag, Duration checkpointInterval) {
    return new WorkerProcess(stage, server, tunnelId, tag, checkpointInterval).awaitWorking();
  }

  private void requireAll(Ledger ledger, Sightings sightings) {
    assertThat(ledger.requireConsumed(sightings)).isZero();
    assertThat(sightings.count()).isEqualTo(ledger.count(Outcome.APPLIED));
    Ledger.requireTable(stage.tables(server), "orders", sightings);
  }

  @Test
  void a_worker_that_stops_gracefully_hands_its_channels_on_without_a_repetition() {
    WorkerProcess first = worker("first", OFTEN);
    WorkerProcess second = worker("second", OFTEN);
    channels.awaitSpread(Map.of("first", 4, "second", 4));
    writer.awaitMoreApplied(ROWS);

    List<Seen> ofFirst = first.stop();
    channels.awaitSpread(Map.of("second", 8));
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = new Ledger(writer.stop());
    channels.awaitDrained();

    Sightings sightings = new Sightings().add(ofFirst).add(second.stop());
    assertThat(ofFirst).isNotEmpty();
    assertThat(sightings.repeated()).isZero();
    requireAll(ledger, sightings);
  }

  @Test
  void after_a_worker_was_killed_another_goes_on_from_its_checkpoints() {
    WorkerProcess first = worker("first", OFTEN);
    channels.awaitProgress();
    WorkerProcess second = worker("second", OFTEN);
    channels.awaitSpread(Map.of("first", 4, "second", 4));
    writer.awaitMoreApplied(ROWS);

    Map<Integer, Long> before = channels.checkpoints();
    Set<Integer> ofSecondBefore = channels.partitionsOf("second");
    List<Seen> ofFirst = first.kill();
    channels.awaitSpread(Map.of("second", 8));
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = new Ledger(writer.stop());
    channels.awaitDrained();

    List<Seen> ofSecond = second.stop();
    requireAll(ledger, new Sightings().add(ofFirst).add(ofSecond));
    assertThat(before.values()).allMatch(position -> position > 0, "is a checkpoint");
    assertThat(ofSecond)
        .filteredOn(seen -> !ofSecondBefore.contains(seen.partition()))
        .isNotEmpty()
        .allMatch(seen -> seen.position() > before.get(seen.partition()), "is not checkpointed");
  }

  @Test
  void what_a_killed_worker_had_not_checkpointed_comes_again_in_order() {
    WorkerProcess first = worker("first", NEVER);
    writer.awaitMoreApplied(ROWS);
    Poll.until("the first worker has seen enough", () -> first.seen().size() >= ROWS);
    List<Seen> ofFirst = first.kill();
    WorkerProcess second = worker("second", OFTEN);
    Ledger ledger = new Ledger(writer.stop());
    channels.awaitDrained();

    Sightings sightings = new Sightings().add(ofFirst).add(second.stop());
    assertThat(sightings.repeated()).isEqualTo(ofFirst.size());
    requireAll(ledger, sightings);
  }

  @Test
  void a_worker_that_comes_later_takes_half_of_the_channels_soon_and_without_a_repetition() {
    WorkerProcess first = worker("first", NEVER);
    channels.awaitSpread(Map.of("first", 8));
    writer.awaitMoreApplied(ROWS);
    WorkerProcess second = worker("second", NEVER);
    Poll.until(
        SOON,
        () -> channels.openByTag().equals(Map.of("first", 4, "second", 4)),
        () -> "four channels each, but " + channels.now());
    writer.awaitMoreApplied(ROWS);

    Ledger ledger = new Ledger(writer.stop());
    Poll.until(
        "both workers have seen everything",
        () -> first.seen().size() + second.seen().size() >= ledger.count(Outcome.APPLIED));
    List<Seen> ofFirst = first.stop();
    List<Seen> ofSecond = second.stop();
    // Channels that moved have their beginning with the first worker; no channel moved back.
    Sightings sightings = new Sightings().add(ofFirst).add(ofSecond);
    assertThat(sightings.repeated()).isZero();
    requireAll(ledger, sightings);
  }
}
