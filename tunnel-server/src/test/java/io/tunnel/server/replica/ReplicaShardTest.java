package io.tunnel.server.replica;

import static io.tunnel.server.replica.OneNode.P;
import static io.tunnel.server.replica.OneNode.put;
import static io.tunnel.server.replica.OneNode.requireRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which clients a node serves, which partitions it replicates, and when it begins a replica anew.
 */
class ReplicaShardTest {

  private OneNode one;

  @BeforeEach
  void oneNode() throws IOException {
    one = new OneNode();
  }

  @Test
  void a_copy_that_was_behind_for_longer_than_deletions_are_kept_begins_anew_at_a_hole()
      throws IOException {
    one.begin("b", new SimNode.Kept(1_000, 5_000));
    one.lead();
    one.write(false, put("a"), put("b"));
    one.run();
    one.node.log.isCut = true;
    one.log.land(P, change("a", Optional.empty()));
    one.log.partition(P).kept.remove(3L);
    one.foreignMarker();
    one.log.nowMicros += 4_000;
    one.node.log.isCut = false;
    one.run();
    assertThat(one.node.rows.rows(P)).as("the deletion may still come").hasSize(2);
    one.node.log.isCut = true;
    one.log.nowMicros += 6_000;
    one.foreignMarker();
    one.log.partition(P).kept.remove(one.log.partition(P).end() - 1);
    one.foreignMarker();
    one.log.partition(P).kept.remove(1L);
    one.node.log.isCut = false;
    one.run();
    assertThat(one.node.rows.rows(P)).as("only what the log has still").hasSize(1);
    assertThat(one.node.replicas.settled(P)).isEqualTo(one.log.partition(P).end() - 1);
  }

  private static Entry change(String key, Optional<Bytes> value) {
    return new Entry(Kind.CHANGE, TestRows.keyBytes(key), 0, 1L << 32, value);
  }

  @Test
  void how_fresh_a_copy_was_outlives_the_node() throws IOException {
    one.begin("b", new SimNode.Kept(1_000, 1_000_000));
    one.lead();
    one.write(false, put("a"));
    one.run();
    for (int look = 0; look < 40; look++) {
      one.log.nowMicros += 130_000;
      one.node.replicas.lookAtEnds();
      one.run();
    }
    one.node.restart();
    one.foreignMarker();
    one.log.partition(P).kept.remove(2L);
    one.log.partition(P).kept.remove(1L);
    one.foreignMarker();
    one.run();
    assertThat(one.node.rows.rows(P)).as("it was fresh just before it was killed").hasSize(1);
  }

  @Test
  void a_copy_of_a_log_that_was_made_anew_begins_anew() {
    one.lead();
    one.write(false, put("a"));
    one.run();
    assertThat(one.node.rows.rows(P)).hasSize(1);
    one.log.partition(P).origin = Bytes.fromHex("02");
    one.log.partition(P).kept.clear();
    one.node.replicas.lookAtEnds();
    one.run();
    assertThat(one.node.rows.rows(P)).isEmpty();
    assertThat(one.node.replicas.leads()).containsExactly(P);
    assertThat(one.node.replicas.of(P)).isNotNull();
  }

  @Test
  void a_copy_that_does_not_lead_names_who_does() {
    one.node.replicas.follow(P);
    one.run();
    assertThatThrownBy(() -> one.node.replicas.of(P))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refusal -> assertThat(refusal.leader()).contains("elsewhere:1"));
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(2));
  }

  @Test
  void nothing_is_served_before_everything_is_read() {
    for (int i = 0; i < 10; i++) {
      one.foreignMarker();
    }
    one.node.replicas.lead(P);
    one.node.step();
    one.node.step();
    assertThatThrownBy(() -> one.node.replicas.of(P))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("still reading partition 1: 0 of 10");
    assertThat(one.node.replicas.warm()).isEmpty();
    assertThat(one.node.replicas.figures().behind()).isEqualTo(1);
    assertThat(one.node.replicas.figures().unread()).isEqualTo(10);
    one.run();
    assertThat(one.node.replicas.of(P)).isNotNull();
    assertThat(one.node.replicas.figures().behind()).isZero();
    assertThat(one.node.replicas.figures().unread()).isZero();
  }

  @Test
  void one_that_is_cut_off_and_was_replaced_is_read_until_it_reads_of_that_and_not_once_more() {
    one.lead();
    one.write(false, put("a"));
    one.run();
    one.node.log.isCut = true;
    one.foreignMarker();
    one.run();
    assertThat(one.node.replicas.isServing(P)).as("rows that may be old").isTrue();
    assertThat(one.node.replicas.of(P)).isNotNull();
    one.node.log.isCut = false;
    one.log.settle();
    one.node.step();
    assertThat(one.node.replicas.isServing(P)).as("behind the next read").isFalse();
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(P));
  }

  @Test
  void a_partition_that_is_left_leaves_nothing_and_can_come_back() throws IOException {
    one.lead();
    one.write(false, put("a"));
    one.run();
    one.node.replicas.leave(P);
    one.run();
    assertThat(one.node.replicas.status()).isEmpty();
    assertThat(one.node.rows.rows(P)).isEmpty();
    one.node.replicas.follow(P);
    one.run();
    assertThat(one.node.rows.rows(P)).hasSize(1);
    assertThat(one.node.changes(P)).hasSize(1);
  }

  @Test
  void what_a_copy_that_was_given_up_has_not_is_not_said_to_be_lost() throws IOException {
    one.lead();
    one.write(false, put("a"));
    one.run();
    assertThat(one.node.replicas.plan(P, 1, 1_000).isEmpty()).isFalse();
    one.node.replicas.leave(P);
    one.run();
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.plan(P, 1, 1_000));
  }

  /** Also of what is one byte more than the local log may have. */
  @Test
  void what_is_too_much_for_the_disk_is_read_again() throws IOException {
    one.begin("small", new SimNode.Kept(Long.MAX_VALUE, Long.MAX_VALUE, 4_096));
    one.lead();
    for (int i = 0; i < 40; i++) {
      one.write(false, put("a" + i), put("b" + i), put("c" + i), put("d" + i));
      one.run();
    }
    assertThat(one.node.localLog.byteCount()).isGreaterThan(4_096);
    one.node.replicas.retain(one.log.nowMicros);
    one.run();
    assertThat(one.node.localLog.byteCount()).isLessThanOrEqualTo(2 * 4_096);
    long first = one.node.replicas.firstPosition(P);
    assertThat(first).isGreaterThan(10);
    assertThat(one.node.replicas.figures().historyReads()).isZero();
    assertThat(TestLogs.rows(one.node.delivered(P, 1))).isEqualTo(160);
    assertThat(one.node.isLost).isFalse();
    assertThat(one.node.replicas.figures().historyReads()).isPositive();
    assertThat(one.node.replicas.figures().historyBytes()).isPositive();
    assertThat(one.node.replicas.figures().heldBytes()).isPositive();
    one.node.replicas.follow(P);
    one.run();
    one.node.replicas.retain(one.log.nowMicros);
    assertThat(one.node.replicas.figures().heldBytes()).as("it serves no more").isZero();
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.plan(P, 1, 1_000));
  }

  @Test
  void what_is_compacted_is_lost_and_what_follows_is_not() throws IOException {
    one.begin("small", new SimNode.Kept(Long.MAX_VALUE, Long.MAX_VALUE, 4_096));
    one.lead();
    for (int i = 0; i < 60; i++) {
      one.write(false, put("a" + i), put("b" + i), put("c" + i));
      one.run();
    }
    one.node.replicas.retain(one.log.nowMicros);
    one.run();
    one.log.partition(P).kept.remove(20L);
    assertThat(TestLogs.rows(one.node.delivered(P, 1))).isEqualTo(19);
    assertThat(one.node.isLost).isTrue();
    assertThatThrownBy(() -> one.node.replicas.plan(P, 20, 1_000))
        .hasMessageContaining("changes 20 to 20 of partition " + P + " are no longer kept");
    one.node.isLost = false;
    assertThat(TestLogs.rows(one.node.delivered(P, 21))).isEqualTo(160);
    assertThat(one.node.isLost).isFalse();
  }

  @Test
  void a_disk_that_fails_ends_all_leadership_of_the_shard() {
    one.lead();
    PartitionHost host = one.node.replicas.of(P);
    host.requireWhole();
    WriteLedger.Written written = one.write(false, put("a"));
    one.node.rows.isFailing = true;
    one.run();
    requireRefused(ErrorCode.NOT_LEADER, host::requireWhole);
    assertThat(written.result()).as("it is in the log, and counts").isPresent();
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(P));
    assertThat(one.node.replicas.leads()).isEmpty();
    assertThat(one.node.replicas.warm()).isEmpty();
    assertThat(one.node.replicas.figures().failedShards()).isEqualTo(1);
  }

  @Test
  void a_record_that_nobody_can_have_written_stops_its_copy_alone() {
    one.lead();
    one.node.replicas.lead(2);
    one.run();
    Optional<Bytes> nonsense = Optional.of(Bytes.fromHex("00"));
    one.log.land(P, new Entry(Kind.CHANGE, TestRows.keyBytes("a"), 0, 1, nonsense));
    one.run();
    assertThat(one.node.replicas.status().get(0).role()).isEqualTo("FAILED");
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(P));
    assertThat(one.node.replicas.of(2)).isNotNull();
    assertThat(one.node.replicas.warm()).containsExactly(2);
  }

  /** What a newer build wrote, in several ways; nothing of it is fenced or repaired over. */
  @Test
  void a_record_of_a_newer_build_stops_its_copy_in_front_of_it_and_nothing_is_lost() {
    one.lead();
    one.node.replicas.lead(2);
    one.write(false, put("a"));
    one.run();
    int before = one.log.partition(P).everything.size();
    long epoch = one.node.replicas.status().get(0).epoch();
    Bytes key = TestRows.keyBytes("a");
    Bytes header = Bytes.fromHex("0104" + "00".repeat(16));
    one.log.land(P, new Entry(Kind.NEWER, key, 0, 0, Optional.empty(), 0, header));
    one.log.land(P, new Entry(Kind.CHANGE, key, epoch, 2L << 20, Optional.empty()));
    one.run();
    ReplicaStatus status = one.node.replicas.status().get(0);
    assertThat(status.role()).isEqualTo("OUTDATED");
    assertThat(status.next()).as("its place is in front of the record").isEqualTo(before);
    requireRefused(ErrorCode.NOT_LEADER, () -> one.node.replicas.of(P));
    assertThat(one.node.replicas.of(2)).as("other partitions go on").isNotNull();
    assertThat(one.node.replicas.warm()).containsExactly(2);
    assertThat(one.node.rows.rows(P)).as("its rows stay").hasSize(1);
    assertThat(one.node.replicas.count(Incident.FENCED)).isZero();
    one.node.replicas.lead(P);
    one.nanos.addAndGet(60_000_000_000L);
    one.run();
    assertThat(one.node.replicas.count(Incident.REPAIRED)).isZero();
    assertThat(one.log.partition(P).everything).as("it appends nothing").hasSize(before + 2);
  }

  @Test
  void a_repair_keeps_the_commit_time_of_its_row() {
    one.lead();
    one.write(false, put("a"));
    one.run();
    long written = one.node.rows.commitMicros(P, TestRows.keyBytes("a"));
    assertThat(written).isPositive();
    one.log.nowMicros += 5_000;
    Bytes key = TestRows.keyBytes("a");
    one.log.land(P, new Entry(Kind.CHANGE, key, Long.MIN_VALUE, 0, Optional.empty()));
    one.run();
    assertThat(one.node.replicas.count(Incident.REPAIRED)).isEqualTo(1);
    Entry repair =
        one.log.partition(P).everything.stream()
            .map(record -> record.entry())
            .filter(entry -> entry.kind() == Kind.REPAIR)
            .findFirst()
            .orElseThrow();
    assertThat(repair.rowMicros()).isEqualTo(written);
    assertThat(one.node.rows.commitMicros(P, TestRows.keyBytes("a"))).isEqualTo(written);
  }

  @Test
  void a_log_that_was_made_anew_is_copied_anew() {
    one.lead();
    for (int i = 0; i < 5; i++) {
      one.write(false, put("a" + i));
      one.run();
    }
    one.log.partition(P).everything.clear();
    one.log.partition(P).kept.clear();
    one.foreignMarker();
    one.run();
    one.nanos.addAndGet(5_000_000_000L);
    one.run();
    assertThat(one.node.rows.rows(P)).isEmpty();
    one.write(false, put("b"));
    one.run();
    assertThat(one.node.rows.rows(P)).hasSize(1);
    assertThat(one.node.replicas.firstPosition(P)).as("nothing of the old log").isEqualTo(6);
    requireRefused(ErrorCode.HISTORY_LOST, () -> one.node.replicas.plan(P, 1, 1_000));
    assertThat(one.node.replicas.count(Incident.BEGUN_ANEW)).isEqualTo(1);
  }
}
