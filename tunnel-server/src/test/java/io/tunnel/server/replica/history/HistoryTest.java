package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.shared.FakeSharedLog;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HistoryTest {

  private static final int P = 1;
  private static final int PLENTY = 1 << 20;

  /** Pages of a few records, of which hardly any are held. */
  private static final ReplicaConfig CONFIG =
      new ReplicaConfig(
          ReplicaConfig.DEFAULT.batches(),
          ReplicaConfig.DEFAULT.times(),
          new ReplicaConfig.History(0, 6_000, 100_000, 1),
          10);

  private final FakeSharedLog shared = new FakeSharedLog(new Random(1));
  private final FakeSharedLog.Node log = shared.node();
  private final List<Integer> woken = new ArrayList<>();
  private EpochHistory epochHistory = EpochHistory.NONE;
  private History history;

  @BeforeEach
  void open() {
    history = new History(CONFIG, log, partition -> epochHistory, woken::add);
    ReplicaCore reader = new ReplicaCore(ReplicaState.EMPTY);
    epochHistory = EpochHistory.START;
    land(reader, new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(Bytes.fromHex("01"))));
    for (int i = 0; i < 9; i++) {
      long sequence = reader.state().sequence() + ReplicaCore.APPEND_ENTRIES_MAX;
      land(
          reader,
          new Entry(Kind.CHANGE, TestRows.keyBytes("k" + i), 0, sequence, Optional.empty()));
    }
  }

  private void land(ReplicaCore reader, Entry entry) {
    long offset = shared.land(P, entry);
    SharedLog.Stored stored = shared.partition(P).kept.get(offset);
    assertThat(reader.read(stored)).isNotEqualTo(ReplicaCore.Verdict.FENCED);
    epochHistory = epochHistory.read(stored, reader);
  }

  private Optional<Extents> plan(long position) {
    return history.plan(P, position, 10, PLENTY);
  }

  @Test
  void what_is_not_there_is_fetched_and_who_waits_is_woken() {
    assertThat(plan(3).orElseThrow().isEmpty()).isTrue();
    assertThat(plan(3).orElseThrow().isEmpty()).isTrue();
    assertThat(woken).isEmpty();
    assertThat(log.stepTail(100)).isTrue();
    assertThat(woken).containsExactly(P);
    Extents planned = plan(3).orElseThrow();
    assertThat(planned.firstPosition()).isEqualTo(3);
    assertThat(planned.lastPosition()).isEqualTo(9);
    assertThat(history.reads()).isEqualTo(1);
    assertThat(log.stepTail(100)).as("nothing more is read").isFalse();
    assertThat(plan(10)).as("that is the local log's").isEmpty();
  }

  @Test
  void what_the_log_reads_in_pieces_is_one_page() {
    assertThat(plan(1).orElseThrow().isEmpty()).isTrue();
    for (int i = 0; i < 8; i++) {
      assertThat(log.stepTail(1)).isTrue();
      assertThat(woken).isEmpty();
    }
    assertThat(log.stepTail(1)).isTrue();
    assertThat(woken).containsExactly(P);
    assertThat(plan(1).orElseThrow().lastPosition()).isEqualTo(9);
    assertThat(history.reads()).isEqualTo(1);
  }

  /** It is made anew, and will know again. */
  @Test
  void a_copy_that_does_not_know_meanwhile_says_nothing_of_a_loss() {
    EpochHistory known = epochHistory;
    assertThat(plan(1).orElseThrow().isEmpty()).isTrue();
    assertThat(log.stepTail(2)).isTrue();
    epochHistory = EpochHistory.NONE;
    assertThat(log.stepTail(2)).isTrue();
    assertThat(woken).containsExactly(P);
    assertThat(log.stepTail(2)).as("nothing is read for nobody").isFalse();
    epochHistory = known;
    assertThat(plan(1).orElseThrow().isEmpty()).isTrue();
    assertThat(log.stepTail(100)).isTrue();
    assertThat(plan(1).orElseThrow().lastPosition()).isEqualTo(9);
  }

  @Test
  void a_log_that_ends_before_has_lost_it() {
    epochHistory = new EpochHistory(0, List.of(new EpochHistory.Stretch(0, 0, Long.MAX_VALUE)));
    assertThat(history.plan(P, 50, 60, PLENTY).orElseThrow().isEmpty()).isTrue();
    assertThat(log.stepTail(100)).isTrue();
    assertThat(woken).containsExactly(P);
    assertThatThrownBy(() -> history.plan(P, 50, 60, PLENTY))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("changes 50 to 59 of");
  }

  @Test
  void whoever_waits_at_a_node_that_serves_no_more_is_woken() {
    assertThat(plan(1).orElseThrow().isEmpty()).isTrue();
    history.keep(partition -> partition != P);
    assertThat(woken).containsExactly(P);
    assertThat(log.stepTail(100)).isFalse();
    assertThat(history.heldBytes()).isZero();
  }
}
