package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.Bytes;
import io.tunnel.model.Column;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.server.TestRows;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.PartitionHome;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.SharedLog.Entry;
import io.tunnel.server.replica.SharedLog.Kind;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplicaShardTest {

  private static final int P = 1;

  private final FakeSharedLog log = new FakeSharedLog(new Random(1));
  private final AtomicLong nanos = new AtomicLong(1);
  private final WriteLedger ledger = new WriteLedger();
  private SimNode node;

  @BeforeEach
  void oneNode() throws IOException {
    node = new SimNode("a", log, nanos, SimNode.Kept.ALL, new Random(1));
  }

  /** Until nothing moves any more; time stands still. */
  private void run() {
    boolean moved = true;
    while (moved) {
      moved = node.step();
      moved |= log.settle();
    }
  }

  private void lead() {
    node.replicas.lead(P);
    run();
  }

  private static RowChange put(String key) {
    return TestRows.put(key, new Column("c", ColumnValue.fromString("x")));
  }

  private WriteLedger.Written write(boolean isConditional, RowChange... rows) {
    ChangeBatch batch = TestRows.batch(P, rows);
    WriteLedger.Written written = ledger.add(batch);
    node.replicas.of(P).write(new PendingWrite(batch, isConditional, true, written));
    return written;
  }

  private static ErrorCode code(WriteLedger.Written written) {
    return written.refusal().map(RefusedException::code).orElseThrow();
  }

  private static void requireRefused(ErrorCode code, Runnable request) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(
            RefusedException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }

  /** A marker of somebody else. */
  private long foreignMarker() {
    Bytes value = Bytes.fromHex("0102");
    return log.land(P, new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(value)));
  }

  @Test
  void a_write_is_told_the_position_that_the_log_gave_it() {
    lead();
    WriteLedger.Written first = write(false, put("a"), put("b"));
    WriteLedger.Written second = write(false, put("c"));
    run();
    assertThat(first.result()).contains(new WriteResult(1, 2, List.of()));
    assertThat(second.result()).contains(new WriteResult(3, 1, List.of()));
    assertThat(node.replicas.committed(P)).isEqualTo(3);
    assertThat(node.replicas.status().toString()).contains("LEADING");
    assertThat(node.replicas.leads()).containsExactly(P);
    assertThat(node.replicas.warm()).containsExactly(P);
  }

  @Test
  void a_copy_that_was_behind_for_longer_than_deletions_are_kept_begins_anew_at_a_hole()
      throws IOException {
    node = new SimNode("b", log, nanos, new SimNode.Kept(1_000, 5_000), new Random(1));
    lead();
    write(false, put("a"), put("b"));
    run();
    node.log.isCut = true;
    log.land(P, change("a", Optional.empty()));
    log.partition(P).kept.remove(3L);
    foreignMarker();
    log.nowMicros += 4_000;
    node.log.isCut = false;
    run();
    assertThat(node.rows.rows(P)).as("the deletion may still come").hasSize(2);
    node.log.isCut = true;
    log.nowMicros += 6_000;
    foreignMarker();
    log.partition(P).kept.remove(log.partition(P).end() - 1);
    foreignMarker();
    log.partition(P).kept.remove(1L);
    node.log.isCut = false;
    run();
    assertThat(node.rows.rows(P)).as("only what the log has still").hasSize(1);
    assertThat(node.replicas.settled(P)).isEqualTo(log.partition(P).end() - 1);
  }

  private static Entry change(String key, Optional<Bytes> value) {
    return new Entry(Kind.CHANGE, TestRows.keyBytes(key), 0, 1L << 32, value);
  }

  @Test
  void how_fresh_a_copy_was_outlives_the_node() throws IOException {
    node = new SimNode("b", log, nanos, new SimNode.Kept(1_000, 1_000_000), new Random(1));
    lead();
    write(false, put("a"));
    run();
    for (int look = 0; look < 40; look++) {
      log.nowMicros += 130_000;
      node.replicas.lookAtEnds();
      run();
    }
    node.restart();
    foreignMarker();
    log.partition(P).kept.remove(2L);
    log.partition(P).kept.remove(1L);
    foreignMarker();
    run();
    assertThat(node.rows.rows(P)).as("it was fresh just before it was killed").hasSize(1);
  }

  @Test
  void a_copy_of_a_log_that_was_made_anew_begins_anew() {
    lead();
    write(false, put("a"));
    run();
    assertThat(node.rows.rows(P)).hasSize(1);
    log.partition(P).origin = Bytes.fromHex("02");
    log.partition(P).kept.clear();
    node.replicas.lookAtEnds();
    run();
    assertThat(node.rows.rows(P)).isEmpty();
    assertThat(node.replicas.leads()).containsExactly(P);
    assertThat(node.replicas.of(P)).isNotNull();
  }

  @Test
  void a_copy_that_does_not_lead_names_who_does() {
    node.replicas.copy(P);
    run();
    assertThatThrownBy(() -> node.replicas.of(P))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refusal -> assertThat(refusal.leader()).contains("elsewhere:1"));
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.of(2));
  }

  @Test
  void nothing_is_served_before_everything_is_read() {
    for (int i = 0; i < 10; i++) {
      foreignMarker();
    }
    node.replicas.lead(P);
    node.step();
    node.step();
    assertThatThrownBy(() -> node.replicas.of(P))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("still reading partition 1: 0 of 10");
    assertThat(node.replicas.warm()).isEmpty();
    assertThat(node.replicas.figures().behind()).isEqualTo(1);
    assertThat(node.replicas.figures().unread()).isEqualTo(10);
    run();
    assertThat(node.replicas.of(P)).isNotNull();
    assertThat(node.replicas.figures().behind()).isZero();
    assertThat(node.replicas.figures().unread()).isZero();
  }

  @Test
  void what_a_later_marker_cuts_off_is_refused_row_by_row() {
    lead();
    WriteLedger.Written written = write(false, put("a"), put("b"), put("c"));
    node.step();
    // Of the append under way, one entry comes before the marker of another node.
    log.landFirst(1);
    foreignMarker();
    run();
    assertThat(written.result())
        .contains(
            new WriteResult(
                1,
                1,
                List.of(
                    new Rejection(1, ErrorCode.NOT_LEADER),
                    new Rejection(2, ErrorCode.NOT_LEADER))));
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.of(P));
    nanos.addAndGet(5_000_000_000L);
    run();
    assertThat(node.replicas.of(P)).isNotNull();
    assertThat(node.rows.rows(P).keySet()).containsExactly(TestRows.keyBytes("a"));
    long repairs =
        log.partition(P).everything.stream().filter(r -> r.entry().kind() == Kind.REPAIR).count();
    assertThat(repairs).isEqualTo(2);
    assertThat(node.replicas.count(Incident.FENCED)).isEqualTo(2);
    assertThat(node.replicas.count(Incident.REPAIRED)).isEqualTo(2);
    assertThat(node.replicas.count(Incident.LED)).isEqualTo(2);
    assertThat(node.replicas.count(Incident.CLAIMED)).isEqualTo(2);
    assertThat(node.replicas.count(Incident.APPEND_FAILED)).isZero();
  }

  @Test
  void a_write_of_which_nothing_counts_is_refused_for_certain() {
    lead();
    foreignMarker();
    WriteLedger.Written written = write(false, put("a"));
    run();
    assertThat(code(written)).isEqualTo(ErrorCode.NOT_LEADER);
    ledger.requireTrue(P, List.of());
  }

  @Test
  void while_the_log_does_not_answer_reads_go_on_and_writes_are_told_in_time() {
    lead();
    PartitionHome home = node.replicas.of(P);
    WriteLedger.Written written = write(false, put("a"));
    node.step();
    List<String> ran = new ArrayList<>();
    home.execute(() -> ran.add("read"));
    node.step();
    assertThat(ran).containsExactly("read");
    WriteLedger.Written waiting = write(false, put("b"));
    nanos.addAndGet(10_000L * 1_000_000 - 1);
    node.step();
    assertThat(written.isTold()).isFalse();
    nanos.addAndGet(1);
    node.step();
    assertThat(code(written)).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(code(waiting)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(node.replicas.count(Incident.APPEND_FAILED)).isEqualTo(1);
    assertThat(node.replicas.of(P)).isNotNull();
    requireRefused(ErrorCode.LOG_UNAVAILABLE, () -> write(false, put("c")));
    nanos.addAndGet(1_000_000_000L);
    run();
    WriteLedger.Written after = write(false, put("d"));
    run();
    assertThat(after.result()).isPresent();
  }

  @Test
  void one_that_is_cut_off_and_was_replaced_is_read_until_it_reads_of_that_and_not_once_more() {
    lead();
    write(false, put("a"));
    run();
    node.log.isCut = true;
    foreignMarker();
    run();
    assertThat(node.replicas.isServing(P)).as("rows that may be old").isTrue();
    assertThat(node.replicas.of(P)).isNotNull();
    node.log.isCut = false;
    log.settle();
    node.step();
    assertThat(node.replicas.isServing(P)).as("behind the next read").isFalse();
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.of(P));
  }

  @Test
  void after_a_failed_append_a_leader_claims_again_before_it_appends() {
    lead();
    WriteLedger.Written written = write(false, put("a"));
    node.step();
    log.failAll();
    node.step();
    assertThat(written.isTold()).as("it may still land").isFalse();
    requireRefused(ErrorCode.LOG_UNAVAILABLE, () -> write(false, put("b")));
    nanos.addAndGet(50_000_000L);
    run();
    assertThat(code(written)).isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    assertThat(log.partition(P).everything).hasSize(2);
    WriteLedger.Written after = write(false, put("c"));
    run();
    assertThat(after.result()).contains(new WriteResult(2, 1, List.of()));
    assertThat(node.replicas.count(Incident.APPEND_FAILED)).isEqualTo(1);
    assertThat(node.replicas.count(Incident.CLAIMED)).isEqualTo(2);
  }

  @Test
  void a_condition_that_does_not_hold_is_told_only_by_one_who_leads() throws IOException {
    lead();
    WriteLedger.Written first = write(false, put("a"));
    run();
    assertThat(first.result()).isPresent();
    foreignMarker();
    RowPutChange absent =
        new RowPutChange(TestRows.key("a"), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST);
    WriteLedger.Written fenced = write(true, absent);
    run();
    assertThat(code(fenced)).isEqualTo(ErrorCode.NOT_LEADER);
    nanos.addAndGet(5_000_000_000L);
    run();
    WriteLedger.Written judged = write(true, absent);
    run();
    assertThat(judged.result())
        .contains(new WriteResult(0, 0, List.of(new Rejection(0, ErrorCode.CONDITION_FAILED))));
    assertThat(node.changes(P).stream().mapToInt(ChangeBatch::rowCount).sum()).isEqualTo(1);
  }

  @Test
  void more_bytes_than_may_wait_are_busy() {
    lead();
    byte[] value = new byte[2_000_000];
    RowChange[] rows = new RowChange[2];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = TestRows.put("k" + i, new Column("c", ColumnValue.fromBinary(value)));
    }
    List<WriteLedger.Written> accepted = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      accepted.add(write(false, rows));
    }
    requireRefused(ErrorCode.BUSY, () -> write(false, rows));
    run();
    accepted.forEach(written -> assertThat(written.result()).isPresent());
    assertThat(node.replicas.figures().waitingWriteBytes()).isZero();
    write(false, put("a"));
  }

  @Test
  void a_leader_that_is_to_follow_first_learns_what_became_of_its_writes() {
    lead();
    WriteLedger.Written written = write(false, put("a"));
    node.step();
    node.replicas.copy(P);
    node.step();
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.of(P));
    run();
    assertThat(written.result()).isPresent();
    assertThat(node.replicas.status().toString()).contains("FOLLOWING");
  }

  @Test
  void a_partition_that_is_left_leaves_nothing_and_can_come_back() throws IOException {
    lead();
    write(false, put("a"));
    run();
    node.replicas.leave(P);
    run();
    assertThat(node.replicas.status()).isEmpty();
    assertThat(node.rows.rows(P)).isEmpty();
    node.replicas.copy(P);
    run();
    assertThat(node.rows.rows(P)).hasSize(1);
    assertThat(node.changes(P)).hasSize(1);
  }

  @Test
  void what_a_copy_that_was_given_up_has_not_is_not_said_to_be_lost() throws IOException {
    lead();
    write(false, put("a"));
    run();
    assertThat(node.replicas.plan(P, 1, 1_000).isEmpty()).isFalse();
    node.replicas.leave(P);
    run();
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.plan(P, 1, 1_000));
  }

  /** Also of what is one byte more than the local log may have. */
  @Test
  void what_is_too_much_for_the_disk_is_read_again() throws IOException {
    node =
        new SimNode(
            "small",
            log,
            nanos,
            new SimNode.Kept(Long.MAX_VALUE, Long.MAX_VALUE, 4_096),
            new Random(1));
    lead();
    for (int i = 0; i < 40; i++) {
      write(false, put("a" + i), put("b" + i), put("c" + i), put("d" + i));
      run();
    }
    assertThat(node.localLog.byteCount()).isGreaterThan(4_096);
    node.replicas.retain(log.nowMicros);
    run();
    assertThat(node.localLog.byteCount()).isLessThanOrEqualTo(2 * 4_096);
    long first = node.replicas.firstPosition(P);
    assertThat(first).isGreaterThan(10);
    assertThat(node.replicas.figures().historyReads()).isZero();
    assertThat(TestLogs.rows(node.delivered(P, 1))).isEqualTo(160);
    assertThat(node.isLost).isFalse();
    assertThat(node.replicas.figures().historyReads()).isPositive();
    assertThat(node.replicas.figures().historyBytes()).isPositive();
    assertThat(node.replicas.figures().heldBytes()).isPositive();
    node.replicas.copy(P);
    run();
    node.replicas.retain(log.nowMicros);
    assertThat(node.replicas.figures().heldBytes()).as("it serves no more").isZero();
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.plan(P, 1, 1_000));
  }

  @Test
  void what_is_compacted_is_lost_and_what_follows_is_not() throws IOException {
    node =
        new SimNode(
            "small",
            log,
            nanos,
            new SimNode.Kept(Long.MAX_VALUE, Long.MAX_VALUE, 4_096),
            new Random(1));
    lead();
    for (int i = 0; i < 60; i++) {
      write(false, put("a" + i), put("b" + i), put("c" + i));
      run();
    }
    node.replicas.retain(log.nowMicros);
    run();
    log.partition(P).kept.remove(20L);
    assertThat(TestLogs.rows(node.delivered(P, 1))).isEqualTo(19);
    assertThat(node.isLost).isTrue();
    assertThatThrownBy(() -> node.replicas.plan(P, 20, 1_000))
        .hasMessageContaining("changes 20 to 20 of partition " + P + " are no longer kept");
    node.isLost = false;
    assertThat(TestLogs.rows(node.delivered(P, 21))).isEqualTo(160);
    assertThat(node.isLost).isFalse();
  }

  @Test
  void a_disk_that_fails_ends_all_leadership_of_the_shard() {
    lead();
    PartitionHome home = node.replicas.of(P);
    home.requireWhole();
    WriteLedger.Written written = write(false, put("a"));
    node.rows.isFailing = true;
    run();
    requireRefused(ErrorCode.NOT_LEADER, home::requireWhole);
    assertThat(written.result()).as("it is in the log, and counts").isPresent();
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.of(P));
    assertThat(node.replicas.leads()).isEmpty();
    assertThat(node.replicas.warm()).isEmpty();
    assertThat(node.replicas.figures().failedShards()).isEqualTo(1);
  }

  @Test
  void a_record_that_nobody_can_have_written_stops_its_copy_alone() {
    lead();
    node.replicas.lead(2);
    run();
    Optional<Bytes> nonsense = Optional.of(Bytes.fromHex("00"));
    log.land(P, new Entry(Kind.CHANGE, TestRows.keyBytes("a"), 0, 1, nonsense));
    run();
    assertThat(node.replicas.status().get(0).role()).isEqualTo("FAILED");
    requireRefused(ErrorCode.NOT_LEADER, () -> node.replicas.of(P));
    assertThat(node.replicas.of(2)).isNotNull();
    assertThat(node.replicas.warm()).containsExactly(2);
  }

  @Test
  void a_log_that_was_made_anew_is_copied_anew() {
    lead();
    for (int i = 0; i < 5; i++) {
      write(false, put("a" + i));
      run();
    }
    log.partition(P).everything.clear();
    log.partition(P).kept.clear();
    foreignMarker();
    run();
    nanos.addAndGet(5_000_000_000L);
    run();
    assertThat(node.rows.rows(P)).isEmpty();
    write(false, put("b"));
    run();
    assertThat(node.rows.rows(P)).hasSize(1);
    assertThat(node.replicas.firstPosition(P)).as("nothing of the old log").isEqualTo(6);
    requireRefused(ErrorCode.HISTORY_LOST, () -> node.replicas.plan(P, 1, 1_000));
    assertThat(node.replicas.count(Incident.BEGUN_ANEW)).isEqualTo(1);
  }
}
