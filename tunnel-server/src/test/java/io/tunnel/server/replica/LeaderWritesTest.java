package io.tunnel.server.replica;

import static io.tunnel.server.replica.OneNode.P;
import static io.tunnel.server.replica.OneNode.code;
import static io.tunnel.server.replica.OneNode.put;
import static io.tunnel.server.replica.OneNode.requireRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What writers are told by a node that leads, or did until a moment ago. */
class LeaderWritesTest {

  private OneNode one;

  @BeforeEach
  void oneNode() throws IOException {
    one = new OneNode();
  }

  @Test
  void a_write_is_told_the_position_that_the_log_gave_it() {
    one.lead();
    WriteLedger.Written first = one.write(false, put("a"), put("b"));
    WriteLedger.Written second = one.write(false, put("c"));
    one.run();
    assertThat(first.result()).contains(new WriteResult(1, 2, List.of()));
    assertThat(second.result()).contains(new WriteResult(3, 1, List.of()));
    assertThat(one.node.replicas.committed(P)).isEqualTo(3);
    assertThat(one.node.replicas.status().toString()).contains("LEADING");
    assertThat(one.node.replicas.leads()).containsExactly(P);
    assertThat(one.node.replicas.warm()).containsExactly(P);
  }

  @Test
  void what_a_later_marker_cuts_off_is_refused_row_by_row() {
    one.lead();
    WriteLedger.Written written = one.write(false, put("a"), put("b"), put("c"));
    one.node.step();
    // Of the append under way, one entry comes before the marker of another node.
    one.log.landFirst(1);
    one.foreignMarker();
    one.run();
    assertThat(written.result())
        .contains(
            new WriteResult(
                1,
                1,
                List.of(
                    new Rejection(1, ErrorCode.NOT_LEADER),
                    new Rejection(2, ErrorCode.NOT_LEADER))));
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(P));
    one.nanos.addAndGet(5_000_000_000L);
    one.run();
    assertThat(one.node.replicas.of(P)).isNotNull();
    assertThat(one.node.rows.rows(P).keySet()).containsExactly(TestRows.keyBytes("a"));
    long repairs =
        one.log.partition(P).everything.stream()
            .filter(r -> r.entry().kind() == Kind.REPAIR)
            .count();
    assertThat(repairs).isEqualTo(2);
    assertThat(one.node.replicas.count(Incident.FENCED)).isEqualTo(2);
    assertThat(one.node.replicas.count(Incident.REPAIRED)).isEqualTo(2);
    assertThat(one.node.replicas.count(Incident.LED)).isEqualTo(2);
    assertThat(one.node.replicas.count(Incident.CLAIMED)).isEqualTo(2);
    assertThat(one.node.replicas.count(Incident.APPEND_FAILED)).isZero();
  }

  @Test
  void a_write_of_which_nothing_counts_is_refused_for_certain() {
    one.lead();
    one.foreignMarker();
    WriteLedger.Written written = one.write(false, put("a"));
    one.run();
    assertThat(code(written)).isEqualTo(ErrorCode.NOT_LEADER);
    one.ledger.requireTrue(P, List.of());
  }

  @Test
  void while_the_log_does_not_answer_reads_go_on_and_writes_are_told_in_time() {
    one.lead();
    PartitionHost host = one.node.replicas.of(P);
    WriteLedger.Written written = one.write(false, put("a"));
    one.node.step();
    List<String> ran = new ArrayList<>();
    host.execute(P, () -> ran.add("read"));
    one.node.step();
    assertThat(ran).containsExactly("read");
    WriteLedger.Written waiting = one.write(false, put("b"));
    one.nanos.addAndGet(10_000L * 1_000_000 - 1);
    one.node.step();
    assertThat(written.isTold()).isFalse();
    one.nanos.addAndGet(1);
    one.node.step();
    assertThat(code(written)).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(code(waiting)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(one.node.replicas.count(Incident.APPEND_FAILED)).isEqualTo(1);
    assertThat(one.node.replicas.of(P)).isNotNull();
    requireRefused(ErrorCode.LOG_UNAVAILABLE, () -> one.write(false, put("c")));
    one.nanos.addAndGet(1_000_000_000L);
    one.run();
    WriteLedger.Written after = one.write(false, put("d"));
    one.run();
    assertThat(after.result()).isPresent();
  }

  @Test
  void after_a_failed_append_a_leader_claims_again_before_it_appends() {
    one.lead();
    WriteLedger.Written written = one.write(false, put("a"));
    one.node.step();
    one.log.failAll();
    one.node.step();
    assertThat(written.isTold()).as("it may still land").isFalse();
    requireRefused(ErrorCode.LOG_UNAVAILABLE, () -> one.write(false, put("b")));
    one.nanos.addAndGet(50_000_000L);
    one.run();
    assertThat(code(written)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(one.log.partition(P).everything).hasSize(2);
    WriteLedger.Written after = one.write(false, put("c"));
    one.run();
    assertThat(after.result()).contains(new WriteResult(2, 1, List.of()));
    assertThat(one.node.replicas.count(Incident.APPEND_FAILED)).isEqualTo(1);
    assertThat(one.node.replicas.count(Incident.CLAIMED)).isEqualTo(2);
  }

  @Test
  void a_condition_that_does_not_hold_is_told_only_by_one_who_leads() throws IOException {
    one.lead();
    WriteLedger.Written first = one.write(false, put("a"));
    one.run();
    assertThat(first.result()).isPresent();
    one.foreignMarker();
    RowPutChange absent =
        new RowPutChange(TestRows.key("a"), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
    WriteLedger.Written fenced = one.write(true, absent);
    one.run();
    assertThat(code(fenced)).isEqualTo(ErrorCode.NOT_LEADER);
    one.nanos.addAndGet(5_000_000_000L);
    one.run();
    WriteLedger.Written judged = one.write(true, absent);
    one.run();
    assertThat(judged.result())
        .contains(new WriteResult(0, 0, List.of(new Rejection(0, ErrorCode.CONDITION_FAILED))));
    assertThat(one.node.changes(P).stream().mapToInt(ChangeBatch::rowCount).sum()).isEqualTo(1);
  }

  @Test
  void more_bytes_than_may_wait_are_busy() {
    one.lead();
    byte[] value = new byte[2_000_000];
    RowChange[] rows = new RowChange[2];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = TestRows.put("k" + i, new Column("c", ColumnValue.fromBinary(value)));
    }
    List<WriteLedger.Written> accepted = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      accepted.add(one.write(false, rows));
    }
    requireRefused(ErrorCode.BUSY, () -> one.write(false, rows));
    one.run();
    accepted.forEach(written -> assertThat(written.result()).isPresent());
    assertThat(one.node.replicas.figures().waitingWriteBytes()).isZero();
    one.write(false, put("a"));
  }

  @Test
  void a_leader_that_is_to_follow_first_learns_what_became_of_its_writes() {
    one.lead();
    WriteLedger.Written written = one.write(false, put("a"));
    one.node.step();
    one.node.replicas.follow(P);
    one.node.step();
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(P));
    one.run();
    assertThat(written.result()).isPresent();
    assertThat(one.node.replicas.status().toString()).contains("FOLLOWING");
  }

  /** A write that a leader judges in slices of a row, with the first slice done. */
  private WriteLedger.Written begunWrite() {
    one.node.replicas.lead(2);
    one.lead();
    one.node.pausePercent = 100;
    WriteLedger.Written written = one.write(true, put("a"), put("b"), put("c"), put("d"));
    one.node.step();
    return written;
  }

  @Test
  void others_are_served_between_the_slices_of_a_write() {
    WriteLedger.Written written = begunWrite();
    List<String> ran = new ArrayList<>();
    one.node.replicas.of(2).execute(2, () -> ran.add("other"));
    one.node.replicas.of(P).execute(P, () -> ran.add("own"));
    one.node.step();
    assertThat(ran).containsExactly("other", "own");
    one.log.settle();
    assertThat(written.isTold()).isFalse();
    assertThat(one.log.partition(P).everything).as("only the marker").hasSize(1);
    for (int slices = 2; slices < 10; slices++) {
      one.node.step();
    }
    one.run();
    assertThat(written.result()).contains(new WriteResult(1, 4, List.of()));
  }

  @Test
  void a_write_in_slices_is_refused_when_its_leader_is_to_lead_no_more() {
    WriteLedger.Written written = begunWrite();
    one.node.replicas.follow(P);
    one.run();
    assertThat(code(written)).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(one.node.replicas.status().toString()).contains("FOLLOWING");
    assertThat(one.node.replicas.figures().waitingWriteBytes()).isZero();
    one.ledger.requireTrue(P, List.of());
  }

  @Test
  void a_write_in_slices_is_refused_when_another_leads() {
    WriteLedger.Written written = begunWrite();
    one.foreignMarker();
    one.run();
    assertThat(code(written)).isEqualTo(ErrorCode.NOT_LEADER);
    one.ledger.requireTrue(P, List.of());
  }

  @Test
  void a_write_in_slices_is_refused_when_its_leader_has_to_claim_again() {
    WriteLedger.Written written = begunWrite();
    one.node.replicas.follow(P);
    one.node.replicas.lead(P);
    one.node.step();
    assertThat(code(written)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
  }
}
