package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Counters;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A writer with the default deadlines that adds to counters as fast as the cluster takes
 * increments, while nodes are killed, stand still, and lose Kafka: no row is in doubt, and each
 * counter is the sum of what was acknowledged, and of the deltas in the stream.
 */
@Tag("proof-cluster")
class ClusterWritersTest {

  private static final int NODES = 3;
  private static final int PARTITIONS = 6;
  private static final int INCREMENTS = 3_000;
  private static final int ROWS_PER_SECOND = 1_500;

  @RegisterExtension final Stage stage = new Stage();

  private Cluster cluster;
  private Counters counters;
  private TableClient tables;
  private TunnelClient tunnels;
  private String tunnelId;
  private final AtomicBoolean isDone = new AtomicBoolean();
  private CompletableFuture<Integer> writing;
  private long beganNanos;

  private void begin() {
    cluster = new Cluster(stage, NODES).start(NODES);
    counters = new Counters("counters", PARTITIONS);
    tables = stage.tables(cluster);
    tunnels = stage.tunnels(cluster);
    var unused = counters.table().create(tables);
    cluster.awaitWhole();
    tunnelId = counters.table().createTunnel(tunnels, "sums");
    beganNanos = System.nanoTime();
    writing =
        CompletableFuture.supplyAsync(
            () ->
                counters.write(
                    ClientConfig.of(cluster.endpoint()), TableWriterConfig.DEFAULTS, this::goesOn));
    awaitWritten();
  }

  /** Leaves a small machine time for the nodes. */
  private boolean goesOn(int number) {
    long dueNanos = beganNanos + number * TimeUnit.SECONDS.toNanos(1) / ROWS_PER_SECOND;
    LockSupport.parkNanos(dueNanos - System.nanoTime());
    return !isDone.get();
  }

  /** Returns when more increments are acknowledged than now. */
  private void awaitWritten() {
    long target = counters.applied() + INCREMENTS;
    Poll.until(
        Cluster.REST,
        () -> writing.isDone() || counters.applied() >= target,
        () -> counters.applied() + " of " + target + " increments");
    assertThat(writing).isNotDone();
  }

  private void end() {
    awaitWritten();
    isDone.set(true);
    int increments = writing.join();
    long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    System.out.println(increments + " increments in " + Duration.ofMillis(ms));
    counters.requireSums(increments, tables, tunnels, tunnelId);
  }

  @Test
  void a_kill_of_each_node_in_turn_leaves_no_row_in_doubt() {
    begin();
    for (int i = 0; i < NODES; i++) {
      NodeProcess victim = cluster.node(i);
      victim.kill();
      cluster.awaitReplaced(victim);
      awaitWritten();
      victim.begin();
      victim.awaitReady();
      cluster.awaitWhole();
      awaitWritten();
    }
    end();
  }

  @Test
  void what_a_leader_says_late_is_not_applied_a_second_time() {
    begin();
    NodeProcess zombie = cluster.node(0);
    zombie.suspend();
    try {
      cluster.awaitReplaced(zombie);
      awaitWritten();
    } finally {
      zombie.resume();
    }
    cluster.awaitWhole();
    awaitWritten();
    NodeProcess lonely = cluster.node(1);
    lonely.toKafka().hold();
    cluster.awaitReplaced(lonely);
    awaitWritten();
    lonely.toKafka().resume();
    cluster.awaitWhole();
    end();
  }

  @Test
  void a_node_whose_data_is_deleted_knows_what_was_answered_before() {
    begin();
    NodeProcess forgetful = cluster.node(0);
    forgetful.kill();
    forgetful.deleteData();
    cluster.awaitReplaced(forgetful);
    forgetful.begin();
    forgetful.awaitReady();
    cluster.awaitWhole();
    awaitWritten();
    // What is left has read who wrote what from the log alone.
    cluster.others(forgetful).forEach(NodeProcess::kill);
    cluster.awaitWhole();
    end();
  }
}
