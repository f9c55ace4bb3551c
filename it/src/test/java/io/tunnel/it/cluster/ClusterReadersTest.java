package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Sightings;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.WriterProcess;
import io.tunnel.it.process.WriterSetup;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Readers who keep their positions themselves, at nodes that die, leave, and drop their table. */
@Tag("proof-nodes")
class ClusterReadersTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 6;
  private static final int ROWS_PER_SECOND = 1_500;
  private static final int ROWS = 1_000;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster(STAGE, NODES).start(NODES);
  }

  @BeforeEach
  void mend() {
    cluster.mend(NODES);
  }

  @Test
  void a_reader_gets_each_change_once_and_in_order_while_a_leader_dies_and_another_is_drained() {
    Scene scene = new Scene(STAGE, cluster, PARTITIONS);
    TableInfo table = scene.tables().partitionMap(scene.table());
    WriterProcess writer =
        new WriterProcess(
            STAGE, cluster, scene.testTable(), WriterSetup.paced(23, ROWS_PER_SECOND));
    Reading reading = STAGE.closing(new Reading(cluster, table));
    awaitFlow(writer, scene, reading);

    NodeProcess victim = cluster.leaderOf(table.partitions().get(0).id());
    victim.kill();
    cluster.awaitReplaced(victim);
    awaitFlow(writer, scene, reading);
    victim.begin();
    victim.awaitReady();
    cluster.awaitWhole();

    NodeProcess drained = cluster.others(victim).get(0);
    assertThat(Cluster.ledBy(drained, drained)).isNotEmpty();
    Cluster.drain(drained, true);
    Poll.until("a node that leads nothing", () -> Cluster.ledBy(drained, drained).isEmpty());
    awaitFlow(writer, scene, reading);
    Cluster.drain(drained, false);

    Ledger ledger = new Ledger(writer.stop());
    reading.awaitBeyond(scene.committed());
    Sightings sightings = new Sightings().add(reading.stop());
    assertThat(sightings.repeated()).isZero();
    int applied = ledger.requireConsumed(sightings);
    assertThat(sightings.count()).isEqualTo(ledger.count(Outcome.APPLIED) + applied);
    assertThat(sightings.changes()).hasSize(PARTITIONS);
    Ledger.requireTable(scene.tables(), scene.table(), sightings);
  }

  private static void awaitFlow(WriterProcess writer, Scene scene, Reading reading) {
    writer.awaitMoreApplied(ROWS);
    reading.awaitBeyond(scene.committed());
  }

  /** Not only when nobody has led its partitions for as long as an outage may last. */
  @Test
  void a_reader_of_a_table_that_is_dropped_is_told_so_by_whichever_node_it_asks() {
    Scene scene = new Scene(STAGE, cluster, PARTITIONS);
    scene.fill(10, 10);
    TableInfo table = scene.tables().partitionMap(scene.table());
    Reading present = STAGE.closing(new Reading(cluster, table));
    present.awaitBeyond(scene.committed());
    scene.tables().dropTable(scene.table());
    List<Reading> all = new ArrayList<>(List.of(present));
    for (NodeProcess node : cluster.running()) {
      all.add(STAGE.closing(new Reading(node, table)));
    }
    for (Reading each : all) {
      Poll.until("a reader that is told", () -> each.failure().isPresent());
      assertThat(each.failure().orElseThrow())
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND))
          .hasMessageContaining("dropped");
      each.close();
    }
  }
}
