package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients hear of a node that does not lead, and of appends that nobody settles. */
final class LaneAnswersTest {

  private static final int P = 1;

  @TempDir private Path directory;
  private ReplicaNodes nodes;
  private Node first;
  private Node second;

  @BeforeEach
  void start() throws IOException {
    nodes = new ReplicaNodes(directory);
    first = nodes.start(1);
    second = nodes.start(2);
    lead(first, second);
  }

  @AfterEach
  void stop() throws IOException {
    nodes.close();
  }

  private void lead(Node node, Node other) throws IOException {
    other.replicas.follow(P);
    node.replicas.lead(P);
    nodes.pass(100);
    assertThat(node.replicas.isServing(P)).isTrue();
  }

  private Outcomes send(String key) {
    Outcomes outcome = new Outcomes();
    first.replicas.of(P).write(Outcomes.write(batch(P, put(key)), false, outcome));
    return outcome;
  }

  private static void work(Node node) throws IOException {
    while (node.step()) {
      // Until nothing waits.
    }
  }

  /** Time passes, and no record of any node lands. */
  private void passWithoutLog(long ms) throws IOException {
    for (long left = ms; left > 0; left -= 50) {
      nodes.clock.pass(50);
      first.replicas.tick();
      work(first);
      nodes.logs.failAll();
      work(first);
    }
  }

  private static void requireLeader(RefusedException refused) {
    assertThat(refused.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refused.leader()).contains("elsewhere:1");
  }

  @Test
  void a_write_that_the_log_never_settles_is_in_doubt_after_the_deadline() throws Exception {
    Outcomes outcome = send("a");
    work(first);
    nodes.logs.failAll();
    passWithoutLog(ReplicaNodes.OUTCOME_MS_MAX - 100);
    assertThat(outcome.isTold()).isFalse();
    passWithoutLog(200);
    assertThat(outcome.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    assertThat(outcome.refused())
        .hasMessageContaining("partition 1 in 10000 ms; whether this was written is not known");
    nodes.pass(5_000);
    assertThat(first.replicas.isServing(P)).as("leads again").isTrue();
    Outcomes next = send("b");
    nodes.settle();
    assertThat(next.result().firstPosition()).as("the lost write never counts").isEqualTo(1);
  }

  @Test
  void a_write_in_doubt_that_counts_is_among_the_rows() throws Exception {
    Outcomes outcome = send("a");
    work(first);
    for (long ms = 0; ms <= ReplicaNodes.OUTCOME_MS_MAX; ms += 1_000) {
      nodes.clock.pass(1_000);
      first.replicas.tick();
      work(first);
    }
    assertThat(outcome.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    assertThat(first.replicas.isServing(P)).isFalse();
    nodes.pass(5_000);
    assertThat(first.replicas.committed(P)).isEqualTo(1);
    assertThat(second.replicas.committed(P)).isEqualTo(1);
    Outcomes next = send("b");
    nodes.settle();
    assertThat(next.result().firstPosition()).isEqualTo(2);
  }

  @Test
  void a_write_that_another_leader_fences_names_the_leader() throws Exception {
    Outcomes outcome = send("a");
    nodes.logs.land(P, AppendHeader.marker(nodes.logs.marker(), 1, -1), new byte[0]);
    nodes.settle();
    requireLeader(outcome.refused());
  }

  @Test
  void a_write_that_comes_after_the_lead_names_the_leader() throws Exception {
    PartitionHost host = first.replicas.of(P);
    Outcomes outcome = new Outcomes();
    first.replicas.follow(P);
    host.write(Outcomes.write(batch(P, put("a")), false, outcome));
    nodes.settle();
    requireLeader(outcome.refused());
  }

  @Test
  void a_node_that_leaves_first_hears_from_the_log_that_its_last_write_counts() throws Exception {
    Outcomes outcome = send("a");
    work(first);
    first.replicas.leave(P);
    work(first);
    assertThat(outcome.isTold()).isFalse();
    assertThat(first.replicas.isServing(P)).isFalse();
    nodes.pass(500);
    assertThat(outcome.result().firstPosition()).isEqualTo(1);
    assertThat(first.replicas.status()).isEmpty();
  }

  @Test
  void a_node_that_leaves_first_hears_from_the_log_that_its_last_write_never_counts()
      throws Exception {
    Outcomes outcome = send("a");
    work(first);
    nodes.logs.failAll();
    first.replicas.leave(P);
    second.replicas.lead(P);
    nodes.pass(500);
    requireLeader(outcome.refused());
  }

  @Test
  void a_node_that_leaves_waits_for_the_log_no_longer_than_the_deadline() throws Exception {
    Outcomes outcome = send("a");
    work(first);
    nodes.logs.failAll();
    first.replicas.leave(P);
    passWithoutLog(ReplicaNodes.OUTCOME_MS_MAX - 100);
    assertThat(outcome.isTold()).isFalse();
    passWithoutLog(200);
    assertThat(outcome.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
  }

  @Test
  void a_node_that_is_told_to_lead_again_before_it_has_left_stays() throws Exception {
    Outcomes outcome = send("a");
    work(first);
    first.replicas.leave(P);
    first.replicas.lead(P);
    nodes.pass(500);
    assertThat(outcome.result().firstPosition()).isEqualTo(1);
    assertThat(first.replicas.isServing(P)).isTrue();
    assertThat(first.replicas.committed(P)).isEqualTo(1);
  }

  @Test
  void a_strict_read_without_a_replica_names_the_leader() throws Exception {
    PartitionHost host = first.replicas.of(P);
    first.replicas.leave(P);
    nodes.settle();
    List<RefusedException> told = new ArrayList<>();
    host.executeStrictly(
        P, () -> told.add(new RefusedException(ErrorCode.INTERNAL, "read")), told::add);
    nodes.settle();
    assertThat(told).hasSize(1);
    requireLeader(told.get(0));
  }
}
