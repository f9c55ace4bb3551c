package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nodes that die, stand still, or lose one half of the network, while a writer writes and two
 * workers consume. When one of three nodes fails, the other nodes take over its partitions, clients
 * go on without help, and no acknowledged change is missing or out of order.
 */
@Tag("proof-cluster")
class ClusterFaultsTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 6;

  /** How long Kafka is away; longer in a run that is meant for it. */
  private static final Duration OUTAGE = Duration.ofSeconds(Long.getLong("fault.outageS", 15));

  @RegisterExtension static final Stage STAGE = new Stage();

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster(STAGE, NODES).start(NODES);
  }

  private Traffic traffic;

  @AfterEach
  void endTraffic() {
    if (traffic != null) {
      traffic.close();
    }
  }

  @BeforeEach
  void mend() {
    cluster.mend(NODES);
  }

  /** Kills each node in turn, so also the leaders of the catalog and of the tunnel. */
  @Test
  void every_node_may_be_killed_once_the_others_have_taken_over() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    for (int i = 0; i < NODES; i++) {
      NodeProcess victim = cluster.node(i);
      assertThat(Cluster.ledBy(victim, victim)).isNotEmpty();
      victim.kill();
      cluster.awaitReplaced(victim);
      traffic.awaitFlow();
      victim.begin();
      victim.awaitReady();
      cluster.awaitWhole();
    }
    traffic.awaitFlow();
    // What a killed leader has not answered is repeated at the next one.
    var unused = traffic.end().requireNoErrors();
  }

  @Test
  void a_leader_that_stood_still_while_it_was_replaced_changes_nothing_when_it_goes_on() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    NodeProcess zombie = cluster.leaderOf(traffic.somePartition());
    zombie.suspend();
    try {
      cluster.awaitReplaced(zombie);
      traffic.awaitFlow();
    } finally {
      zombie.resume();
    }
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  @Test
  void a_leader_that_does_not_reach_kafka_is_replaced_and_what_it_says_late_does_not_count() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    NodeProcess lonely = cluster.leaderOf(traffic.somePartition());
    lonely.toKafka().hold();
    cluster.awaitReplaced(lonely);
    traffic.awaitWritten();
    lonely.toKafka().resume();
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  @Test
  void a_leader_that_no_client_reaches_keeps_its_partitions_and_holds_up_no_others() {
    Probe probe = new Probe(STAGE, cluster, PARTITIONS);
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    NodeProcess unheard = cluster.leaderOf(traffic.somePartition());
    NodeProcess witness = cluster.others(unheard).get(0);
    Set<Integer> led = Cluster.ledBy(unheard, witness);
    unheard.toClients().hold();
    probe.awaitWritten(partition -> !led.contains(partition));
    probe.awaitWritten(partition -> !led.contains(partition));
    assertThat(Cluster.ledBy(unheard, witness)).isEqualTo(led);
    unheard.toClients().resume();
    probe.awaitWritten(led::contains);
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  @Test
  void what_a_node_has_stored_may_be_deleted_while_it_is_away() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    NodeProcess forgetful = cluster.leaderOf(traffic.somePartition());
    forgetful.kill();
    forgetful.deleteData();
    cluster.awaitReplaced(forgetful);
    forgetful.begin();
    forgetful.awaitReady();
    cluster.awaitWhole();
    traffic.awaitFlow();
    // What is left is what the forgetful one has built from the log.
    cluster.others(forgetful).forEach(NodeProcess::kill);
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  @Test
  void a_restart_of_kafka_loses_nothing() {
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    cluster.kafka().restart();
    traffic.awaitFlow();
    cluster.awaitWhole();
    cluster.kafka().kill();
    cluster.kafka().restart();
    traffic.awaitFlow();
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  @Test
  void while_kafka_is_away_writes_are_refused_and_reads_as_soon_as_they_would_be_old() {
    Probe probe = new Probe(STAGE, cluster, PARTITIONS);
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
    long beganNanos = System.nanoTime();
    cluster.kafka().suspend();
    try {
      // Half a session long what a leader has may be taken for what there is.
      for (int partition : probe.partitions()) {
        assertThat(probe.read(partition)).as("the row of %d", partition).isPresent();
      }
      do {
        probe.partitions().forEach(partition -> requireRefused(probe.write(partition)));
      } while (System.nanoTime() - beganNanos < OUTAGE.toNanos());
      for (int partition : probe.partitions()) {
        assertThat(probe.read(partition)).as("the old row of %d", partition).isEmpty();
      }
    } finally {
      cluster.kafka().resume();
    }
    probe.awaitWritten(partition -> true);
    for (int partition : probe.partitions()) {
      assertThat(probe.read(partition)).as("the row of %d", partition).isPresent();
    }
    traffic.awaitFlow();
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  /**
   * Within the client's patience it is told that it may try again; only what was under way when
   * Kafka went is in doubt.
   */
  private static void requireRefused(RowResult result) {
    assertThat(result.outcome()).as("%s", result).isIn(Outcome.NOT_SENT, Outcome.IN_DOUBT);
    if (result.outcome() == Outcome.NOT_SENT) {
      assertThat(result.error().orElseThrow())
          .isIn(Set.of(ErrorCode.LOG_UNAVAILABLE, ErrorCode.NOT_LEADER));
    }
  }
}
