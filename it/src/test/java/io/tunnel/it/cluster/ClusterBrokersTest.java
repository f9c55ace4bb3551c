package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.KafkaTopic;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.it.process.TcpProxy;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two nodes on three brokers, of which each has a copy of everything and two have to take what is
 * acknowledged, while a writer writes and two workers consume. Any one of the brokers may go;
 * without two nothing is acknowledged, and nothing that was is missing afterwards.
 */
@Tag("proof-cluster")
class ClusterBrokersTest {

  private static final int NODES = 2;
  private static final int BROKERS = 3;
  private static final int PARTITIONS = 4;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster(STAGE, NODES, BROKERS).start(NODES);
  }

  private Traffic traffic;

  @BeforeEach
  void begin() {
    cluster.mend(NODES);
    traffic = new Traffic(STAGE, cluster, PARTITIONS);
  }

  @AfterEach
  void endTraffic() {
    traffic.close();
  }

  private static KafkaBroker broker(int number) {
    return cluster.kafka().broker(number);
  }

  private void requireAllThere() {
    traffic.awaitFlow();
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  /** Each in turn, so also those that lead the topics of tables, of the catalog and of tunnels. */
  @Test
  void any_broker_may_be_killed_once_the_others_have_caught_up() throws IOException {
    for (int i = 0; i < BROKERS; i++) {
      broker(i).kill();
      traffic.awaitFlow();
      broker(i).restart();
      traffic.awaitFlow();
    }
    requireAllThere();
  }

  /** The suspended broker keeps its connections, so only silence shows the failure. */
  @Test
  void a_broker_that_stands_still_is_passed_by() throws IOException {
    broker(0).suspend();
    try {
      traffic.awaitFlow();
    } finally {
      broker(0).resume();
    }
    requireAllThere();
  }

  @Test
  void with_fewer_brokers_than_must_have_it_nothing_is_acknowledged_and_all_of_it_is_kept()
      throws IOException {
    Probe probe = new Probe(STAGE, cluster, PARTITIONS);
    broker(1).kill();
    probe.awaitWritten(partition -> true);
    broker(2).kill();
    Poll.until(
        "writes that are refused", () -> !probe.write(probe.partitions().get(0)).isApplied());
    for (int partition : probe.partitions()) {
      RowResult refused = probe.write(partition);
      assertThat(refused.outcome()).as("%s", refused).isIn(Outcome.NOT_SENT, Outcome.IN_DOUBT);
      if (refused.outcome() == Outcome.NOT_SENT) {
        assertThat(refused.error().orElseThrow())
            .isIn(Set.of(ErrorCode.LOG_UNAVAILABLE, ErrorCode.NOT_LEADER, ErrorCode.BUSY));
      }
    }
    broker(1).restart();
    probe.awaitWritten(partition -> true);
    broker(2).restart();
    for (int partition : probe.partitions()) {
      assertThat(probe.read(partition)).as("the row of %d", partition).isPresent();
    }
    requireAllThere();
  }

  /**
   * Followers fetch from the leader and get no answer, while controllers and nodes still reach the
   * leader. So the broker goes on to lead, and is soon alone in sync, below the least number of
   * brokers in sync.
   */
  @Test
  void a_broker_that_the_others_do_not_hear_loses_nothing() {
    Probe probe = new Probe(STAGE, cluster, PARTITIONS);
    KafkaTopic topic = STAGE.closing(new KafkaTopic(cluster.kafka(), probe.topic()));
    TcpProxy toOne = cluster.kafka().fromBrokersTo(topic.leaderOf(0));
    toOne.holdAnswers();
    Poll.until(
        "writes that are refused", () -> !probe.write(probe.partitions().get(0)).isApplied());
    toOne.resume();
    probe.awaitWritten(partition -> true);
    for (int partition : probe.partitions()) {
      assertThat(probe.read(partition)).as("the row of %d", partition).isPresent();
    }
    requireAllThere();
  }

  /** Appends of the node reach the broker, and the answers never reach the node. */
  @Test
  void a_node_that_hears_nothing_from_the_brokers_is_replaced() {
    NodeProcess deaf = cluster.leaderOf(traffic.somePartition());
    deaf.toKafka().holdAnswers();
    cluster.awaitReplaced(deaf);
    traffic.awaitFlow();
    deaf.toKafka().resume();
    requireAllThere();
  }
}
