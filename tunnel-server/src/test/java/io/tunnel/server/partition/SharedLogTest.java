package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.replica.append.SimNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a shard does when the partitions of a log of appends go from node to node. */
final class SharedLogTest {

  private static final int PARTITION = 1;
  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(2).putLong(3).array());

  @TempDir private Path directory;
  private SharedNodes nodes;

  @BeforeEach
  void begin() throws IOException {
    nodes =
        new SharedNodes(
            directory,
            new SplittableRandom(1),
            2,
            TestShard.World.of(
                new ShardConfig(4_096, 4_096, 8 << 20), new NoMeter(), new TestClock()));
  }

  private void lead(int id) {
    nodes.get(1 - id).want(PARTITION, false);
    nodes.get(id).want(PARTITION, true);
    nodes.pass(10_000);
    nodes.get(id).claim();
    settle();
    assertThat(nodes.get(id).isLeading(PARTITION)).isTrue();
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      nodes.logs().land(true);
      nodes.all().forEach(SharedNodes.Node::catchUp);
    }
  }

  private static Outcomes post(SharedNodes.Node node, long number, List<RowChange> rows) {
    Outcomes outcome = new Outcomes();
    Optional<Numbered> numbered =
        number == 0 ? Optional.empty() : Optional.of(new Numbered(WRITER, number, 0));
    node.write(new JudgedRows.Batch(PARTITION, rows, List.of(), 0).write(numbered, false, outcome));
    return outcome;
  }

  private static RowChange put(String name, RowExistenceExpectation expected) {
    return new RowPutChange(key(name), List.of(new Column("v", ColumnValue.fromLong(1))), expected);
  }

  private boolean isThere(int id, String name) {
    return nodes.get(id).shard().table().get(PARTITION, keyBytes(name)).isPresent();
  }

  private int changes(int id) throws IOException {
    return TestLogs.rows(TestLogs.batches(nodes.get(id).shard().log(), PARTITION));
  }

  @Test
  void the_next_leader_knows_the_answer_to_a_batch_whose_rows_were_all_rejected() throws Exception {
    lead(0);
    List<RowChange> create = List.of(put("k", RowExistenceExpectation.EXPECT_NOT_EXIST));
    Outcomes made = post(nodes.get(0), 0, create);
    settle();
    assertThat(made.result().appliedRows()).isEqualTo(1);
    Outcomes first = post(nodes.get(0), 7, create);
    settle();
    assertThat(first.result().rejections()).hasSize(1);
    Outcomes gone = post(nodes.get(0), 0, List.of(new RowDeleteChange(key("k"))));
    settle();
    assertThat(gone.result().appliedRows()).isEqualTo(1);

    lead(1);
    Outcomes again = post(nodes.get(1), 7, create);
    settle();
    assertThat(again.result()).isEqualTo(first.result());
    assertThat(isThere(1, "k")).isFalse();
    // And so does a node that starts again with its own disk, or with none.
    for (int crashes = 0; crashes < 8; crashes++) {
      nodes.crash(0);
      lead(0);
      Outcomes late = post(nodes.get(0), 7, create);
      settle();
      assertThat(late.result()).isEqualTo(first.result());
    }
    assertThat(changes(0)).isEqualTo(2);
    assertThat(changes(1)).isEqualTo(2);
  }

  @Test
  void a_write_in_judgment_is_refused_when_another_leader_changed_rows() throws Exception {
    lead(0);
    List<RowChange> many = new ArrayList<>();
    for (int row = 0; row <= WriteTurns.AT_ONCE_ROWS_MAX; row++) {
      many.add(put("k" + row, RowExistenceExpectation.EXPECT_NOT_EXIST));
    }
    Outcomes stale = post(nodes.get(0), 0, many);
    // The write is taken, and has its first slice.
    nodes.get(0).shard().step();
    nodes.get(0).shard().step();
    assertThat(stale.isTold()).isFalse();

    nodes.get(1).want(PARTITION, true);
    nodes.get(1).claim();
    nodes.logs().land(true);
    nodes.get(1).catchUp();
    Outcomes other = post(nodes.get(1), 0, List.of(put("k0", RowExistenceExpectation.IGNORE)));
    nodes.get(1).catchUp();
    nodes.logs().land(true);
    nodes.get(1).catchUp();
    assertThat(other.result().firstPosition()).isEqualTo(1);
    // Node 0 leads again before its shard goes on.
    nodes.get(0).read();
    nodes.pass(10_000);
    nodes.get(0).claim();
    nodes.logs().land(true);
    nodes.get(0).read();
    assertThat(nodes.get(0).isLeading(PARTITION)).isTrue();
    settle();
    assertThat(stale.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(changes(0)).isEqualTo(1);
  }

  @Test
  void what_counts_waits_for_room_on_the_disk_of_the_node() throws Exception {
    lead(0);
    Outcomes answer = post(nodes.get(0), 0, List.of(put("k", RowExistenceExpectation.IGNORE)));
    nodes.get(0).catchUp();
    nodes.get(0).disk().room(10);
    nodes.logs().land(true);
    nodes.get(0).catchUp();
    assertThat(answer.isTold()).isFalse();
    assertThat(nodes.get(0).replicas().isBehind(PARTITION)).isTrue();
    assertThat(nodes.get(0).replicas().isBehind(PARTITION + 1)).isFalse();
    Outcomes later = post(nodes.get(0), 0, List.of(put("l", RowExistenceExpectation.IGNORE)));
    nodes.get(0).catchUp();
    assertThat(later.refusal()).isEqualTo(ErrorCode.BUSY);

    nodes.get(0).disk().room(Long.MAX_VALUE);
    nodes.get(0).shard().lookForRoom();
    settle();
    assertThat(answer.result().firstPosition()).isEqualTo(1);
    assertThat(isThere(0, "k")).isTrue();
    assertThat(nodes.get(0).replicas().isBehind(PARTITION)).isFalse();
    Outcomes last = post(nodes.get(0), 0, List.of(put("m", RowExistenceExpectation.IGNORE)));
    settle();
    assertThat(last.result().firstPosition()).isEqualTo(2);
    assertThat(changes(1)).isEqualTo(2);
  }

  @Test
  void a_writer_waits_for_room_no_longer_than_for_the_log_and_the_change_counts() throws Exception {
    lead(0);
    Outcomes answer = post(nodes.get(0), 0, List.of(put("k", RowExistenceExpectation.IGNORE)));
    nodes.get(0).catchUp();
    nodes.get(0).disk().room(10);
    nodes.logs().land(true);
    nodes.get(0).catchUp();
    nodes.get(0).replicas().expire();
    nodes.pass(SimNode.OUTCOME_MS_MAX - 1);
    nodes.get(0).replicas().expire();
    assertThat(answer.isTold()).isFalse();
    nodes.pass(1);
    nodes.get(0).replicas().expire();
    assertThat(answer.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    assertThat(answer.refused()).hasMessageContaining("is full", "partition " + PARTITION);
    nodes.get(0).replicas().expire();

    nodes.get(0).disk().room(Long.MAX_VALUE);
    nodes.get(0).shard().lookForRoom();
    settle();
    assertThat(isThere(0, "k")).isTrue();
    Outcomes next = post(nodes.get(0), 0, List.of(put("l", RowExistenceExpectation.IGNORE)));
    settle();
    assertThat(next.result().firstPosition()).isEqualTo(2);
    assertThat(changes(1)).isEqualTo(2);
  }

  @Test
  void writes_are_refused_as_busy_while_too_much_is_on_its_way_and_the_lead_stays()
      throws Exception {
    lead(0);
    nodes.logs().setFull(true);
    Outcomes busy = post(nodes.get(0), 0, List.of(put("k", RowExistenceExpectation.IGNORE)));
    nodes.get(0).catchUp();
    assertThat(busy.refusal()).isEqualTo(ErrorCode.BUSY);
    nodes.logs().setFull(false);
    Outcomes later = post(nodes.get(0), 0, List.of(put("k", RowExistenceExpectation.IGNORE)));
    settle();
    assertThat(later.result().firstPosition()).isEqualTo(1);
  }

  @Test
  void a_control_record_has_a_place_beside_as_many_groups_as_may_be_under_way() throws Exception {
    lead(0);
    List<Outcomes> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(post(nodes.get(0), 0, List.of(put("k" + i, RowExistenceExpectation.IGNORE))));
      nodes.get(0).catchUp();
    }
    List<String> outcomes = new ArrayList<>();
    nodes.get(0).replicas().control(PARTITION, outcomes);
    nodes.get(0).replicas().control(PARTITION, outcomes);
    assertThat(outcomes).as("one at a time").containsExactly("NEVER");
    for (int i = 0; i < 3; i++) {
      settle();
    }
    assertThat(outcomes).containsExactly("NEVER", "COUNTS");
    for (Outcomes answer : answers) {
      assertThat(answer.result().appliedRows()).isEqualTo(1);
    }
    assertThat(nodes.get(0).replicas().said()).containsExactly("TRIM");
    assertThat(nodes.get(1).replicas().said()).containsExactly("TRIM");
    assertThat(nodes.get(1).replicas().known(PARTITION))
        .isEqualTo(nodes.get(0).replicas().known(PARTITION));
  }

  @Test
  void a_control_record_disturbs_no_write_that_is_judged_in_slices() throws Exception {
    lead(0);
    List<RowChange> many = new ArrayList<>();
    for (int row = 0; row <= WriteTurns.AT_ONCE_ROWS_MAX; row++) {
      many.add(put("k" + row, RowExistenceExpectation.EXPECT_NOT_EXIST));
    }
    List<String> outcomes = new ArrayList<>();
    nodes.get(0).replicas().control(PARTITION, outcomes);
    Outcomes slow = post(nodes.get(0), 0, many);
    nodes.get(0).shard().step();
    nodes.get(0).shard().step();
    assertThat(slow.isTold()).isFalse();
    settle();
    assertThat(outcomes).containsExactly("COUNTS");
    assertThat(slow.result().appliedRows()).isEqualTo(many.size());
  }

  @Test
  void writes_under_way_are_not_known_when_the_node_gives_its_replica_away() throws Exception {
    lead(0);
    Outcomes counted = post(nodes.get(0), 0, List.of(put("k", RowExistenceExpectation.IGNORE)));
    nodes.get(0).catchUp();
    nodes.get(0).disk().room(10);
    nodes.logs().land(true);
    nodes.get(0).catchUp();
    nodes.get(0).replicas().end(PARTITION);
    nodes.get(0).disk().room(Long.MAX_VALUE);
    nodes.get(0).shard().lookForRoom();
    while (nodes.get(0).shard().step()) {
      // Until nothing waits.
    }
    assertThat(counted.refusal()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
    assertThat(changes(0)).isZero();
    Outcomes later = post(nodes.get(0), 0, List.of(put("k", RowExistenceExpectation.IGNORE)));
    while (nodes.get(0).shard().step()) {
      // Until nothing waits.
    }
    assertThat(later.refusal()).isEqualTo(ErrorCode.NOT_LEADER);
  }
}
