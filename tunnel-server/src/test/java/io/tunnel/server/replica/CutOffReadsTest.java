package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.FakeSharedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A leader that is cut off from the log, while another takes over. */
class CutOffReadsTest {

  private static final int P = 1;

  private final FakeSharedLog log = new FakeSharedLog(new Random(1));
  private final AtomicLong nanos = new AtomicLong(1);
  private final WriteLedger ledger = new WriteLedger();
  private final List<Object> answers = new ArrayList<>();
  private SimNode old;
  private SimNode next;

  @BeforeEach
  void oneLeads() throws IOException {
    old = new SimNode("a", log, nanos, SimNode.Kept.ALL, new Random(1));
    next = new SimNode("b", log, nanos, SimNode.Kept.ALL, new Random(2));
    old.replicas.lead(P);
    next.replicas.follow(P);
    run();
    write(old, "k");
  }

  private void run() {
    boolean moved = true;
    while (moved) {
      moved = old.step();
      moved |= next.step();
      moved |= log.settle();
    }
  }

  private void write(SimNode node, String key) {
    ChangeBatch batch = TestRows.batch(P, TestRows.put(key));
    node.replicas
        .of(P)
        .write(new PendingWrite(batch, false, ColumnSizes.of(batch), true, ledger.add(batch)));
    run();
    assertThat(ledger.acknowledged()).isPositive();
  }

  private void after(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    run();
  }

  private void readStrictly() {
    PartitionHost host = old.replicas.of(P);
    host.executeStrictly(
        P,
        () -> {
          try {
            host.requireWhole();
            answers.add(old.rows.rows(P).size());
          } catch (RefusedException e) {
            answers.add(e.code());
          }
        },
        refusal -> answers.add(refusal.code()));
  }

  @Test
  void its_rows_are_read_for_so_long_and_no_longer() {
    old.log.isCut = true;
    next.replicas.lead(P);
    run();
    write(next, "l");
    PartitionHost host = old.replicas.of(P);
    after(SimNode.READ_AGE_MS);
    assertThatCode(host::requireFresh).doesNotThrowAnyException();
    after(1);
    for (int i = 0; i < 3; i++) {
      old.replicas.lookAtEnds();
      after(500);
    }
    assertThatThrownBy(host::requireFresh)
        .isInstanceOfSatisfying(
            RefusedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
              assertThat(refusal.leader()).contains("elsewhere:1");
            });
    assertThat(old.replicas.isServing(P)).as("changes are delivered on").isTrue();
  }

  @Test
  void one_that_hears_from_the_log_reads_on_for_ever() {
    for (int i = 0; i < 20; i++) {
      after(SimNode.READ_AGE_MS / 4);
      old.replicas.lookAtEnds();
      run();
      old.replicas.of(P).requireFresh();
    }
  }

  @Test
  void a_strict_read_is_refused_at_once_where_the_log_does_not_answer() {
    old.log.isCut = true;
    readStrictly();
    run();
    assertThat(answers).containsExactly(ErrorCode.LOG_UNAVAILABLE);
  }

  @Test
  void a_strict_read_is_refused_in_time_where_the_log_tells_no_records() {
    next.replicas.lead(P);
    while (next.step()) {
      // The marker of the next leader is on its way.
    }
    log.landFirst(1);
    readStrictly();
    while (old.step()) {
      // The log's end is behind the marker, which it is not told.
    }
    assertThat(answers).isEmpty();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ShardReplicas.STRICT_MS_MAX));
    old.step();
    assertThat(answers).containsExactly(ErrorCode.LOG_UNAVAILABLE);
  }

  @Test
  void a_strict_read_sees_all_that_was_acknowledged_or_that_another_leads() {
    readStrictly();
    run();
    assertThat(answers).containsExactly(1);
    next.replicas.lead(P);
    while (next.step()) {
      // The marker of the next leader is on its way.
    }
    log.landFirst(1);
    readStrictly();
    run();
    assertThat(answers).containsExactly(1, ErrorCode.NOT_LEADER);
  }

  @Test
  void a_strict_read_of_a_copy_that_goes_is_refused() {
    readStrictly();
    old.replicas.leave(P);
    run();
    assertThat(answers).hasSize(1).first().isIn(ErrorCode.NOT_LEADER, 1);
    assertThatThrownBy(this::readStrictly).isInstanceOf(RefusedException.class);
  }
}
