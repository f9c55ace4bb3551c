package io.tunnel.server.replica.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.history.ReplicaSimulation.Happening;
import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.ReplicaCore.Role;
import io.tunnel.server.replica.shared.ReplicaCore.Verdict;
import io.tunnel.server.replica.shared.ReplicaState;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Random worlds, and the situations that they meet too rarely to rely on it. Which planted bugs are
 * found how is in docs/how-it-is-tested.md.
 */
class ReplicaCoreTest {

  private static final Bytes MINE = Bytes.fromHex("01");
  private static final Bytes FOREIGN = Bytes.fromHex("02");
  private static final Bytes A = Bytes.fromHex("aa");
  private static final Bytes B = Bytes.fromHex("bb");
  private static final Bytes C = Bytes.fromHex("cc");

  /** The sequence of the first entry of the first append. */
  private static final long FIRST = ReplicaCore.APPEND_ENTRIES_MAX;

  private final ReplicaCore core = new ReplicaCore(ReplicaState.EMPTY);

  private static Stored marker(long offset, Bytes value) {
    return new Stored(offset, 0, new Entry(Kind.MARKER, Bytes.EMPTY, 0, 0, Optional.of(value)));
  }

  private static Stored change(long offset, Bytes key, long epoch, long sequence) {
    return new Stored(offset, 0, new Entry(Kind.CHANGE, key, epoch, sequence, Optional.of(key)));
  }

  private void lead() {
    core.claim(MINE);
    core.read(marker(core.next(), MINE));
    assertThat(core.role()).isEqualTo(Role.LEADING);
  }

  @Test
  void repairs_the_key_first_whose_first_fenced_record_is_the_youngest() {
    core.read(marker(0, FOREIGN));
    core.read(change(1, A, 0, FIRST + 1));
    core.read(change(2, B, 0, FIRST + 2));
    core.read(change(3, C, 0, FIRST + 3));
    core.read(change(4, A, 0, FIRST + 4));
    assertThat(core.keysToRepair()).containsExactly(C, B, A);
    assertThat(core.unrepaired()).containsEntry(A, 1L);
  }

  @Test
  void takes_nothing_before_it_leads_nor_before_all_that_it_took_is_read_back() {
    assertThatThrownBy(() -> core.take(1)).isInstanceOf(IllegalStateException.class);
    lead();
    assertThat(core.take(2)).isEqualTo(FIRST);
    assertThat(core.isAppending()).isTrue();
    core.read(change(1, A, 0, FIRST));
    assertThatThrownBy(() -> core.take(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("LEADING");
    core.read(change(2, B, 0, FIRST + 1));
    assertThat(core.take(1)).isEqualTo(2 * FIRST);
  }

  @Test
  void an_append_has_at_least_one_entry_and_at_most_what_its_number_can_tell_from_the_next() {
    lead();
    assertThatThrownBy(() -> core.take(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> core.take(ReplicaCore.APPEND_ENTRIES_MAX + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(core.take(ReplicaCore.APPEND_ENTRIES_MAX)).isEqualTo(FIRST);
  }

  @Test
  void a_leader_that_reads_a_hole_leads_no_more() {
    lead();
    core.take(2);
    core.read(change(2, A, 0, FIRST + 1));
    assertThat(core.role()).isEqualTo(Role.FOLLOWING);
    lead();
    core.skipTo(core.next());
    assertThat(core.role()).isEqualTo(Role.LEADING);
    core.skipTo(core.next() + 1);
    assertThat(core.role()).isEqualTo(Role.FOLLOWING);
  }

  @Test
  void what_it_appended_before_it_claimed_again_counts_until_its_next_marker() {
    lead();
    core.take(2);
    core.claim(FOREIGN);
    Stored own = change(1, A, 0, FIRST);
    assertThat(core.read(own)).isEqualTo(Verdict.CHANGE);
    core.read(marker(2, FOREIGN));
    Stored late = change(3, B, 0, FIRST + 1);
    assertThat(core.read(late)).isEqualTo(Verdict.FENCED);
  }

  @Test
  void a_record_behind_a_gap_does_not_count_even_if_what_is_missing_comes_late() {
    core.read(marker(0, FOREIGN));
    core.read(change(1, A, 0, FIRST));
    assertThat(core.read(change(2, B, 0, FIRST + 2))).isEqualTo(Verdict.FENCED);
    assertThat(core.read(change(3, C, 0, FIRST + 1))).isEqualTo(Verdict.FENCED);
  }

  @Test
  void a_sequence_that_no_leader_can_have_does_not_count_and_what_follows_is_judged_without_it() {
    core.skipTo(5);
    Stored strange = change(5, A, 3, -7);
    assertThat(core.read(strange)).isEqualTo(Verdict.FENCED);
    assertThat(core.state().sequence()).isZero();
    Stored next = change(6, A, 3, FIRST);
    assertThat(core.read(next)).isEqualTo(Verdict.CHANGE);
  }

  @Test
  void an_epoch_that_no_marker_of_this_log_can_have_does_not_count() {
    core.read(marker(0, FOREIGN));
    assertThat(core.read(change(1, A, 1, FIRST))).isEqualTo(Verdict.FENCED);
    assertThat(core.read(change(2, A, 1000, FIRST))).isEqualTo(Verdict.FENCED);
    assertThat(core.epoch()).isZero();
    assertThat(core.read(change(3, A, 0, FIRST))).isEqualTo(Verdict.CHANGE);
  }

  @Test
  void the_rest_of_an_append_behind_a_hole_is_doubtful_until_the_next_begins() {
    core.read(marker(0, FOREIGN));
    core.skipTo(5);
    core.wholeFromHere();
    assertThat(core.read(change(5, A, 0, FIRST + 3))).isEqualTo(Verdict.CHANGE);
    assertThat(core.unrepaired()).containsOnlyKeys(A);
    assertThat(core.wholeFrom()).isEqualTo(Long.MAX_VALUE);
    core.read(change(6, B, 0, 2 * FIRST));
    assertThat(core.unrepaired()).containsOnlyKeys(A);
    assertThat(core.wholeFrom()).isEqualTo(6);
  }

  @Test
  void every_copy_comes_to_the_same_answer_whatever_happens_to_the_log() {
    int seeds = Integer.getInteger("replica.seeds", 1000);
    long first = Long.getLong("replica.seed", 1);
    Map<Happening, Integer> all = new EnumMap<>(Happening.class);
    for (long seed = first; seed < first + seeds; seed++) {
      try {
        new ReplicaSimulation(seed)
            .run(100 + (int) (seed % 5) * 200)
            .forEach((happening, count) -> all.merge(happening, count, Integer::sum));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    if (seeds > 1) {
      assertThat(all).containsOnlyKeys(Happening.values());
    }
  }
}
