package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.SharedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica whose log has become another one, or has lost records that the replica has read. */
class ReplicaOriginsTest {

  private static final int P = 1;
  private static final Bytes OTHER = Bytes.fromHex("02");

  private final FakeSharedLog log = new FakeSharedLog(new Random(1));
  private final WriteLedger ledger = new WriteLedger();
  private SimNode node;

  @BeforeEach
  void threeRows() throws IOException {
    node = new SimNode("a", log, new AtomicLong(1), SimNode.Kept.ALL, new Random(1));
    node.origin = log.partition(P).origin;
    node.replicas.lead(P);
    run();
    write("a", "b", "c");
    assertThat(node.rows.rows(P)).hasSize(3);
  }

  private void run() {
    boolean moved = true;
    while (moved) {
      moved = node.step();
      moved |= log.settle();
    }
  }

  private void write(String... keys) {
    for (String key : keys) {
      ChangeBatch batch = TestRows.batch(P, TestRows.put(key));
      node.replicas
          .of(P)
          .write(new PendingWrite(batch, false, ColumnSizes.of(batch), true, ledger.add(batch)));
      run();
    }
  }

  private WriteLedger.Written writeNumbered(Numbered number, String key) {
    ChangeBatch batch = TestRows.batch(P, TestRows.put(key));
    WriteLedger.Written written = ledger.add(batch);
    node.replicas
        .of(P)
        .write(
            new PendingWrite(
                batch,
                new PendingWrite.Judging(
                    ConditionPlace.ofRows(List.of()), false, ColumnSizes.of(batch)),
                Optional.of(number),
                true,
                written));
    run();
    return written;
  }

  private void requireKeptAndNotServed(int rows) {
    assertThat(node.rows.rows(P)).as("the copy may be all that is left").hasSize(rows);
    assertThatThrownBy(() -> node.replicas.of(P))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER));
    assertThat(node.replicas.isServing(P)).isFalse();
    assertThat(node.replicas.warm()).isEmpty();
    assertThat(node.replicas.status().toString()).contains("FAILED");
  }

  @Test
  void a_log_that_is_not_the_tables_is_never_read_and_the_copy_stays() throws IOException {
    for (int i = 0; i < 20; i++) {
      write("k" + i);
    }
    log.partition(P).origin = OTHER;
    log.partition(P).truncate(0);
    node.replicas.lookAtEnds();
    run();
    requireKeptAndNotServed(23);
    node.restart();
    int stored = node.rows.rows(P).size();
    assertThat(stored).as("what the crash has left").isPositive();
    node.replicas.lead(P);
    run();
    requireKeptAndNotServed(stored);
  }

  @Test
  void nor_is_one_that_has_no_record_where_the_copy_goes_on() {
    log.partition(P).origin = OTHER;
    log.partition(P).truncate(1);
    run();
    requireKeptAndNotServed(3);
  }

  @Test
  void a_copy_of_a_log_that_was_truncated_has_what_the_log_has() {
    log.partition(P).truncate(2);
    run();
    assertThat(node.rows.rows(P)).hasSize(1);
    assertThat(node.replicas.isServing(P)).isTrue();
    write("d");
    assertThat(node.rows.rows(P)).hasSize(2);
  }

  @Test
  void a_batch_that_the_log_has_lost_is_applied_when_it_comes_again() {
    byte[] writer = ByteBuffer.allocate(24).putLong(log.nowMicros).putLong(0).putLong(7).array();
    Numbered number = new Numbered(Bytes.copyOf(writer), 1, 0);
    assertThat(writeNumbered(number, "d").result()).isPresent();
    log.partition(P).truncate(4);
    run();
    assertThat(node.rows.rows(P)).as("without the row of the lost batch").hasSize(3);
    assertThat(writeNumbered(number, "d").result()).isPresent();
    assertThat(node.rows.rows(P)).hasSize(4);
  }

  /** As many records as the replica has read, and more, stand where it goes on; they are others. */
  @Test
  void a_copy_of_a_log_that_was_cut_off_and_grew_again_has_what_the_log_has() throws IOException {
    for (int i = 0; i < 20; i++) {
      write("k" + i);
    }
    node.restart();
    assertThat(node.rows.rows(P).size()).as("what the crash has left").isGreaterThan(3);
    SharedLog.Entry last = log.partition(P).everything.get(3).entry();
    log.partition(P).truncate(2);
    for (long sequence = 2; sequence < 60; sequence++) {
      SharedLog.Entry entry =
          new SharedLog.Entry(last.kind(), last.key(), last.epoch(), sequence << 20, last.value());
      long unused = log.land(P, entry);
    }
    node.replicas.lead(P);
    run();
    assertThat(node.rows.rows(P)).as("the first and the third").hasSize(2);
    assertThat(node.replicas.isServing(P)).isTrue();
    assertThat(node.replicas.incarnations(P).orElseThrow().starts())
        .extracting(IncarnationHistory.Start::incarnation)
        .containsExactly(1L, 2L);
  }

  @Test
  void a_record_of_an_earlier_leader_behind_one_of_a_later_is_of_another_log() {
    FakeSharedLog.Partition partition = log.partition(P);
    partition.leaderEpoch = 5;
    write("d");
    assertThat(node.rows.rows(P)).hasSize(4);
    SharedLog.Entry third = partition.everything.get(3).entry();
    partition.truncate(4);
    partition.leaderEpoch = 4;
    for (long sequence = 4; sequence < 6; sequence++) {
      SharedLog.Entry entry =
          new SharedLog.Entry(
              third.kind(), third.key(), third.epoch(), sequence << 20, third.value());
      long unused = log.land(P, entry);
    }
    run();
    assertThat(node.rows.rows(P)).as("without the one that was cut off").hasSize(3);
  }

  @Test
  void a_copy_that_has_lost_its_place_serves_nothing_before_it_knows_why() {
    log.partition(P).truncate(2);
    node.log.hidesEnds = true;
    run();
    assertThat(node.replicas.isServing(P)).isFalse();
    assertThat(node.rows.rows(P)).hasSize(3);
    node.log.hidesEnds = false;
    node.replicas.lookAtEnds();
    run();
    assertThat(node.replicas.isServing(P)).isTrue();
    assertThat(node.rows.rows(P)).hasSize(1);
  }

  @Test
  void a_dropped_tables_copy_goes_also_when_its_log_is_another_one() {
    log.partition(P).origin = OTHER;
    log.partition(P).truncate(0);
    node.replicas.lookAtEnds();
    run();
    node.replicas.leave(P);
    run();
    assertThat(node.rows.rows(P)).isEmpty();
    assertThat(node.replicas.status()).isEmpty();
  }
}
