package io.tunnel.it.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Channels;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Noted;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WorkerProcess;
import io.tunnel.it.process.WorkerSetup;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.RowResult.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many channels over several worker processes that come, leave and die under load. */
@Tag("proof-service")
class FleetTest {

  private static final int PARTITIONS = 128;
  private static final int ROWS = 2_000;
  private static final Duration INTERVAL = Duration.ofMillis(200);

  @RegisterExtension final Stage stage = new Stage();

  private Scene scene;
  private Channels tunnel;

  private WorkerProcess worker(String tag) {
    return scene.worker(tunnel, WorkerSetup.of(tag, INTERVAL));
  }

  @Test
  void a_hundred_and_twenty_eight_channels_lose_nothing_and_repeat_only_what_a_death_left_open() {
    scene = new Scene(stage, stage.guardedServer(), PARTITIONS);
    tunnel = scene.tunnel("audit", TunnelType.Stream);
    WriterProcess writer = scene.writer();
    WorkerProcess one = worker("one");
    writer.awaitMoreApplied(ROWS);
    WorkerProcess two = worker("two");
    WorkerProcess three = worker("three");
    tunnel.awaitShared(Set.of("one", "two", "three"), PARTITIONS);
    WorkerProcess four = worker("four");
    tunnel.awaitSpread(Map.of("one", 32, "two", 32, "three", 32, "four", 32));
    writer.awaitMoreApplied(ROWS);

    one.stop();
    tunnel.awaitShared(Set.of("two", "three", "four"), PARTITIONS);
    writer.awaitMoreApplied(ROWS);
    Map<Integer, Long> checkpoints = tunnel.checkpoints();
    Set<Integer> ofTwo = tunnel.partitionsOf("two");
    two.kill();
    tunnel.awaitSpread(Map.of("three", 64, "four", 64));
    writer.awaitMoreApplied(ROWS);
    WorkerProcess five = worker("five");
    tunnel.awaitShared(Set.of("three", "four", "five"), PARTITIONS);
    writer.awaitMoreApplied(ROWS);
    Ledger ledger = new Ledger(writer.stop());
    tunnel.awaitDrained();
    List.of(three, four, five).forEach(WorkerProcess::stop);

    Sightings sightings = new Sightings();
    List<Seen> all = Noted.inTurns(one, two, three, four, five);
    assertThat(ledger.requireConsumed(sightings.add(all))).isZero();
    assertThat(sightings.count()).isEqualTo(ledger.count(Outcome.APPLIED));
    assertThat(sightings.rows()).isEqualTo(scene.rows());
    assertThat(all)
        .filteredOn(
            seen ->
                !ofTwo.contains(seen.partition())
                    || seen.position() <= checkpoints.get(seen.partition()))
        .as("what no death has left open")
        .isNotEmpty()
        .doesNotHaveDuplicates();
    assertThat(three.told("revoked") + four.told("revoked") + five.told("revoked")).isZero();
  }
}
