package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.PrivateFiles;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node answers of partitions that it follows and leads. */
final class AppendReplicasTest {

  private static final int P = 1;
  private static final int Q = 2;

  @TempDir private Path directory;
  private ReplicaNodes nodes;
  private Node first;
  private Node second;

  @BeforeEach
  void start() throws IOException {
    nodes = new ReplicaNodes(directory);
    first = nodes.start(1);
    second = nodes.start(2);
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

  private static Outcomes send(Node node, int partition, String key) {
    Outcomes outcome = new Outcomes();
    node.replicas.of(partition).write(Outcomes.write(batch(partition, put(key)), false, outcome));
    return outcome;
  }

  private long write(Node node, String key) throws Exception {
    Outcomes outcome = send(node, P, key);
    nodes.settle();
    assertThat(outcome.isTold()).isTrue();
    return outcome.result().firstPosition();
  }

  private static boolean has(PartitionHost host, String key) {
    boolean has = host.table().get(P, keyBytes(key)).isPresent();
    host.requireWhole();
    return has;
  }

  private static ErrorCode refusal(ThrowingCallable call) {
    return catchThrowableOfType(RefusedException.class, call).code();
  }

  @Test
  void a_node_that_leads_writes_reads_and_delivers() throws Exception {
    lead(first, second);
    List<Long> heard = new ArrayList<>();
    first.replicas.subscribe(P, (partition, position) -> heard.add(position));
    assertThat(write(first, "a")).isEqualTo(1);
    assertThat(write(first, "b")).isEqualTo(2);
    assertThat(has(first.replicas.of(P), "b")).isTrue();
    assertThat(heard).containsExactly(1L, 2L);
    assertThat(first.replicas.committed(P)).isEqualTo(2);
    assertThat(first.replicas.firstPosition(P)).isEqualTo(1);
    assertThat(first.replicas.plan(P, 1, 1 << 20).lastPosition()).isEqualTo(2);
    assertThat(first.replicas.leads()).containsExactly(P);
    assertThat(first.replicas.figures().leading()).isEqualTo(1);
  }

  @Test
  void a_node_that_follows_refuses_and_says_who_leads() throws Exception {
    lead(first, second);
    write(first, "a");
    RefusedException refused =
        catchThrowableOfType(RefusedException.class, () -> second.replicas.of(P));
    assertThat(refused.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refused.leader()).contains("elsewhere:1");
    assertThat(refusal(() -> second.replicas.plan(P, 0, 1))).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(second.replicas.isServing(P)).isFalse();
    assertThat(second.replicas.committed(P)).isEqualTo(1);
  }

  @Test
  void the_next_leader_has_all_rows_and_the_former_one_is_withdrawn() throws Exception {
    lead(first, second);
    write(first, "a");
    PartitionHost former = first.replicas.of(P);
    lead(second, first);
    assertThat(has(second.replicas.of(P), "a")).isTrue();
    assertThat(write(second, "b")).isEqualTo(2);
    assertThat(refusal(former::requireWhole)).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(
            refusal(() -> former.write(Outcomes.write(batch(P, put("c")), false, new Outcomes()))))
        .isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void a_host_of_an_earlier_epoch_is_not_complete_when_its_node_leads_again() throws Exception {
    lead(first, second);
    PartitionHost former = first.replicas.of(P);
    lead(second, first);
    lead(first, second);
    first.replicas.of(P).requireWhole();
    assertThat(refusal(former::requireWhole)).isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void a_leader_is_withdrawn_before_it_folds_a_change_of_the_next_leader() throws Exception {
    lead(first, second);
    PartitionHost former = first.replicas.of(P);
    // The first node is told nothing.
    second.replicas.lead(P);
    second.replicas.tick();
    while (nodes.logs.records(P).size() < 2) {
      boolean unused = second.step();
      nodes.logs.land(true);
    }
    first.replicas.lookAtEnds();
    boolean isWhole = true;
    while (first.step()) {
      isWhole &= first.replicas.isServing(P);
    }
    assertThat(isWhole).isFalse();
    assertThat(refusal(former::requireWhole)).isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void a_read_is_refused_when_the_log_has_confirmed_nothing_for_too_long() throws Exception {
    lead(first, second);
    first.replicas.lookAtEnds();
    nodes.settle();
    PartitionHost host = first.replicas.of(P);
    host.requireFresh();
    nodes.clock.pass(ReplicaNodes.READ_AGE_MS_MAX + 1);
    assertThat(refusal(host::requireFresh)).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(first.replicas.count(Incident.READ_TOO_OLD)).isEqualTo(1);
    first.replicas.lookAtEnds();
    nodes.settle();
    host.requireFresh();
  }

  @Test
  void writes_confirm_a_leader_without_a_look() throws Exception {
    lead(first, second);
    nodes.clock.pass(ReplicaNodes.READ_AGE_MS_MAX + 1);
    write(first, "a");
    first.replicas.of(P).requireFresh();
  }

  @Test
  void a_strict_read_runs_when_the_end_of_the_log_is_read() throws Exception {
    lead(first, second);
    write(first, "a");
    List<String> told = new ArrayList<>();
    PartitionHost host = first.replicas.of(P);
    host.executeStrictly(P, () -> told.add("read " + has(host, "a")), e -> told.add("" + e.code()));
    nodes.settle();
    assertThat(told).containsExactly("read true");
  }

  @Test
  void a_strict_read_of_a_replaced_leader_does_not_see_old_rows() throws Exception {
    lead(first, second);
    PartitionHost former = first.replicas.of(P);
    List<String> told = new ArrayList<>();
    second.replicas.lead(P);
    second.replicas.tick();
    while (!second.replicas.isServing(P)) {
      boolean unused = second.step();
      nodes.logs.land(true);
    }
    former.executeStrictly(
        P,
        () -> told.add("" + refusal(former::requireWhole)),
        refused -> told.add("" + refused.code()));
    nodes.settle();
    assertThat(told).containsExactly("NOT_LEADER");
  }

  @Test
  void a_strict_read_of_a_partition_without_a_replica_is_refused() throws Exception {
    lead(first, second);
    PartitionHost host = first.replicas.of(P);
    first.replicas.leave(P);
    nodes.settle();
    List<ErrorCode> told = new ArrayList<>();
    host.executeStrictly(P, () -> told.add(null), refused -> told.add(refused.code()));
    nodes.settle();
    assertThat(told).containsExactly(ErrorCode.NOT_LEADER);
  }

  @Test
  void a_node_whose_table_has_wrong_topics_does_not_claim() throws Exception {
    nodes.problems.put(P, "retention.ms is 1");
    first.replicas.lead(P);
    nodes.pass(500);
    assertThat(first.replicas.isServing(P)).isFalse();
    assertThat(nodes.logs.records(P)).isEmpty();
    assertThat(errors(first)).containsExactly("retention.ms is 1");
    nodes.problems.clear();
    nodes.pass(61_000);
    assertThat(first.replicas.isServing(P)).isTrue();
    assertThat(errors(first)).isEmpty();
  }

  @Test
  void a_leader_whose_topics_become_wrong_gives_up_the_lead() throws Exception {
    lead(first, second);
    nodes.problems.put(P, "cleanup.policy is compact");
    nodes.pass(61_000);
    assertThat(first.replicas.isServing(P)).isFalse();
    assertThat(refusal(() -> first.replicas.of(P))).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(errors(first)).containsExactly("cleanup.policy is compact");
    first.replicas.follow(P);
    nodes.settle();
    assertThat(errors(first)).as("a follower needs no lead").isEmpty();
  }

  private static List<String> errors(Node node) {
    return node.replicas.status().stream().flatMap(each -> each.error().stream()).toList();
  }

  @Test
  void a_node_that_leaves_deletes_its_rows_and_can_come_back() throws Exception {
    lead(first, second);
    write(first, "a");
    lead(second, first);
    first.replicas.leave(P);
    nodes.settle();
    assertThat(first.replicas.replicas()).isEmpty();
    assertThat(first.replicas.status()).isEmpty();
    write(second, "b");
    lead(first, second);
    assertThat(has(first.replicas.of(P), "a")).isTrue();
    assertThat(has(first.replicas.of(P), "b")).isTrue();
    assertThat(write(first, "c")).isEqualTo(3);
  }

  /**
   * The marker of another leader has no row, so the states of the replicas wait for rows to be
   * stored with. A partition that leaves stores the states of the others; the others leave next. No
   * later fold may bring these states back: a start would resume from a state without the rows.
   */
  @Test
  void partitions_that_a_node_has_left_have_no_state_after_the_next_fold() throws Exception {
    int left = P + ReplicaNodes.SHARDS;
    int kept = left + ReplicaNodes.SHARDS;
    lead(first, second);
    first.replicas.lead(left);
    first.replicas.lead(kept);
    nodes.pass(100);
    write(first, "a");
    lead(second, first);
    first.replicas.follow(left);
    second.replicas.lead(left);
    nodes.pass(100);
    first.replicas.leave(P);
    first.replicas.leave(left);
    nodes.settle();
    Outcomes other = send(first, kept, "b");
    nodes.pass(100);
    assertThat(other.result().firstPosition()).isEqualTo(1);
    first.close();
    first = nodes.start(1);
    assertThat(first.replicas.replicas()).containsExactly(kept);
  }

  @Test
  void a_node_that_starts_again_reads_on_from_where_it_was() throws Exception {
    lead(first, second);
    for (int i = 0; i < 20; i++) {
      write(first, "a" + i);
    }
    second.close();
    write(first, "b");
    second = nodes.start(2);
    assertThat(second.replicas.replicas()).containsExactly(P);
    nodes.pass(100);
    assertThat(second.tails.get(P).given(P)).isEqualTo(1);
    lead(second, first);
    assertThat(has(second.replicas.of(P), "a19")).isTrue();
    assertThat(has(second.replicas.of(P), "b")).isTrue();
    assertThat(second.replicas.firstPosition(P)).isEqualTo(1);
  }

  @Test
  void a_node_without_its_rows_does_not_make_them_of_a_local_log_that_was_trimmed()
      throws Exception {
    lead(first, second);
    for (int i = 0; i < 100; i++) {
      write(first, "a" + i);
      nodes.clock.pass(1_000);
    }
    nodes.retentionMicros = 10_000_000;
    for (int i = 0; i < 3; i++) {
      first.replicas.retain(nodes.clock.epochMicros());
      nodes.settle();
    }
    assertThat(first.replicas.firstPosition(P)).isGreaterThan(1);
    first.close();
    PrivateFiles.deleteAll(directory.resolve("node-1/shard-1/table"));
    first = nodes.start(1);
    lead(first, second);
    assertThat(has(first.replicas.of(P), "a0")).isTrue();
    assertThat(has(first.replicas.of(P), "a99")).isTrue();
  }

  @Test
  void a_replica_of_a_dropped_partition_does_not_start_again() throws Exception {
    lead(first, second);
    write(first, "a");
    first.close();
    nodes.dropped.add(P);
    first = nodes.start(1);
    assertThat(first.replicas.replicas()).isEmpty();
    nodes.pass(100);
    assertThat(first.replicas.status()).isEmpty();
  }

  @Test
  void a_replica_is_warm_when_it_is_nearly_at_the_end() throws Exception {
    lead(first, second);
    for (int i = 0; i < 20; i++) {
      write(first, "a" + i);
    }
    Node third = nodes.start(3);
    third.replicas.follow(P);
    while (third.replicas.status().isEmpty()) {
      boolean unused = third.step();
    }
    boolean unused = third.step();
    assertThat(third.replicas.isCaughtUp(P)).isFalse();
    assertThat(third.replicas.warm()).isEmpty();
    assertThat(third.replicas.figures().behind()).isEqualTo(1);
    assertThat(third.replicas.figures().unread()).isPositive();
    assertThat(third.replicas.rowEstimate(P, 100)).isEmpty();
    nodes.pass(100);
    assertThat(third.replicas.warm()).containsExactly(P);
    assertThat(third.replicas.rowEstimate(P, 100)).hasValue(20);
    assertThat(third.replicas.figures().behind()).isZero();
  }

  @Test
  void the_status_says_role_epoch_and_offsets() throws Exception {
    lead(first, second);
    write(first, "a");
    first.replicas.lookAtEnds();
    second.replicas.lookAtEnds();
    nodes.settle();
    assertThat(first.replicas.status()).containsExactly(new ReplicaStatus(P, "LEADING", 0, 2, 2));
    assertThat(second.replicas.status())
        .containsExactly(new ReplicaStatus(P, "FOLLOWING", 0, 2, 2));
  }

  @Test
  void each_leader_begins_an_incarnation() throws Exception {
    lead(first, second);
    write(first, "a");
    long one = first.replicas.incarnations().newest(P).orElseThrow();
    assertThat(first.replicas.incarnations().of(P).orElseThrow().sharedUpTo(one))
        .isEqualTo(Long.MAX_VALUE);
    lead(second, first);
    write(second, "b");
    assertThat(second.replicas.incarnations().newest(P).orElseThrow()).isGreaterThan(one);
    assertThat(second.replicas.incarnations().of(P).orElseThrow().sharedUpTo(one)).isEqualTo(1);
    assertThat(second.replicas.incarnations().of(P).orElseThrow().sharedUpTo(one - 1)).isZero();
  }

  @Test
  void the_tail_pauses_while_too_much_waits() throws Exception {
    lead(first, second);
    for (int i = 0; i < 20; i++) {
      write(first, "a" + i);
    }
    nodes.readBytesMax = 1;
    Node third = nodes.start(3);
    third.replicas.follow(P);
    nodes.pass(5_000);
    assertThat(third.replicas.committed(P)).isEqualTo(20);
    assertThat(third.replicas.figures().waitingReadBytes()).isZero();
  }

  @Test
  void the_local_log_gives_up_changes_that_the_table_keeps_no_longer() throws Exception {
    lead(first, second);
    for (int i = 0; i < 100; i++) {
      write(first, "a" + i);
      nodes.clock.pass(1_000);
    }
    nodes.retentionMicros = 10_000_000;
    first.replicas.retain(nodes.clock.epochMicros());
    nodes.settle();
    first.replicas.retain(nodes.clock.epochMicros());
    nodes.settle();
    assertThat(first.replicas.firstPosition(P)).isBetween(2L, 100L);
    assertThat(first.replicas.committed(P)).isEqualTo(100);
    assertThat(first.replicas.positionBefore(P, 1)).isEqualTo(first.replicas.firstPosition(P) - 1);
    assertThat(first.replicas.bytesAfter(P, 0)).isPositive();
  }

  @Test
  void partitions_of_two_shards_are_independent() throws Exception {
    lead(first, second);
    second.replicas.lead(Q);
    first.replicas.follow(Q);
    nodes.pass(100);
    Outcomes p = send(first, P, "p");
    Outcomes q = send(second, Q, "q");
    nodes.settle();
    assertThat(p.result().firstPosition()).isEqualTo(1);
    assertThat(q.result().firstPosition()).isEqualTo(1);
    assertThatThrownBy(() -> first.replicas.of(Q)).isInstanceOf(RefusedException.class);
  }
}
