package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FollowCoreTest {

  private static final long NONE = AppendHeader.NO_SNAPSHOT;

  private final FollowCore core = new FollowCore(FollowState.NONE);
  private final List<AppendHeader> log = new ArrayList<>();

  private Verdict take(AppendHeader header) {
    log.add(header);
    return core.read(log.size() - 1, header);
  }

  private static AppendHeader of(Kind kind, long epoch, long number, long first, int changes) {
    return new AppendHeader(kind, epoch, 100 + epoch, number, first, changes, NONE, Bytes.EMPTY);
  }

  private static AppendHeader batches(long epoch, long number, long first, int changes) {
    return of(Kind.BATCHES, epoch, number, first, changes);
  }

  private Verdict mark() {
    return take(AppendHeader.marker(100 + log.size(), 5, NONE));
  }

  @Test
  void records_count_while_number_and_position_are_the_next_ones() {
    assertThat(take(batches(0, 1, 1, 1))).as("before any marker").isEqualTo(Verdict.FENCED);
    assertThat(mark()).isEqualTo(Verdict.MARKER);
    assertThat(take(batches(1, 1, 1, 3))).isEqualTo(Verdict.COUNTS);
    assertThat(take(batches(1, 2, 4, 0))).as("all rows refused").isEqualTo(Verdict.COUNTS);
    assertThat(take(batches(1, 3, 4, 1))).isEqualTo(Verdict.COUNTS);
    assertThat(core.position()).isEqualTo(5);
    assertThat(core.read(2, log.get(2))).isEqualTo(Verdict.SEEN);
    assertThat(take(batches(1, 3, 4, 1))).as("a copy").isEqualTo(Verdict.ENDS_EPOCH);
    assertThat(take(batches(1, 4, 5, 1))).isEqualTo(Verdict.FENCED);
    assertThat(core.position()).isEqualTo(5);
    assertThat(mark()).isEqualTo(Verdict.MARKER);
    assertThat(take(batches(1, 4, 5, 1))).as("of the epoch before").isEqualTo(Verdict.FENCED);
    assertThat(take(batches(7, 1, 5, 2))).isEqualTo(Verdict.COUNTS);
    assertThat(take(batches(7, 2, 6, 1))).as("a lower position").isEqualTo(Verdict.ENDS_EPOCH);
  }

  @Test
  void a_marker_whose_offset_is_given_again_is_another_marker() {
    mark();
    AppendHeader other = new AppendHeader(Kind.BATCHES, 0, 999, 1, 1, 1, NONE, Bytes.EMPTY);
    assertThat(take(other)).isEqualTo(Verdict.FENCED);
    assertThat(take(batches(0, 1, 1, 1))).isEqualTo(Verdict.COUNTS);
  }

  @Test
  void incarnations_rise_although_the_clocks_of_leaders_do_not() {
    for (long clock : new long[] {50, 40, 70, 70}) {
      take(AppendHeader.marker(100 + log.size(), clock, NONE));
      take(batches(log.size() - 1, 1, core.position(), 3));
    }
    assertThat(core.state().stretches())
        .extracting(FollowState.Stretch::incarnation, FollowState.Stretch::first)
        .containsExactly(tuple(50L, 1L), tuple(51L, 4L), tuple(70L, 7L), tuple(71L, 10L));
  }

  @Test
  void a_begin_raises_the_position_before_any_other_record_counts() {
    mark();
    assertThat(take(of(Kind.BEGIN, 0, 1, 1_000, 0))).isEqualTo(Verdict.COUNTS);
    assertThat(take(batches(0, 2, 1_000, 5))).isEqualTo(Verdict.COUNTS);
    assertThat(core.position()).isEqualTo(1_005);
    assertThat(take(of(Kind.BEGIN, 0, 3, 2_000, 0))).isEqualTo(Verdict.ENDS_EPOCH);
    mark();
    assertThat(take(of(Kind.BEGIN, 4, 1, 2_000, 0))).isEqualTo(Verdict.ENDS_EPOCH);
    assertThat(core.position()).isEqualTo(1_005);
  }

  @Test
  void each_incarnation_before_the_first_change_has_its_position() {
    mark();
    assertThat(take(of(Kind.BEGIN, 0, 1, 40, 0))).isEqualTo(Verdict.COUNTS);
    take(AppendHeader.marker(102, 9, NONE));
    assertThat(take(of(Kind.BEGIN, 2, 1, 90, 0))).isEqualTo(Verdict.COUNTS);
    assertThat(take(of(Kind.BEGIN, 2, 2, 90, 0))).as("the same position").isEqualTo(Verdict.COUNTS);
    take(AppendHeader.marker(105, 20, NONE));
    assertThat(take(batches(5, 1, 90, 2))).isEqualTo(Verdict.COUNTS);
    assertThat(core.state().stretches())
        .extracting(FollowState.Stretch::incarnation, FollowState.Stretch::first)
        .containsExactly(tuple(5L, 1L), tuple(9L, 40L), tuple(20L, 90L));
  }

  @Test
  void a_begin_below_the_position_ends_the_epoch() {
    mark();
    take(of(Kind.BEGIN, 0, 1, 40, 0));
    assertThat(take(of(Kind.BEGIN, 0, 2, 39, 0))).isEqualTo(Verdict.ENDS_EPOCH);
    assertThat(core.position()).isEqualTo(40);
  }

  @Test
  void the_two_newest_snapshots_that_count_are_known() {
    mark();
    take(of(Kind.SNAPSHOT, 0, 1, 1, 0));
    take(batches(0, 2, 1, 2));
    take(of(Kind.SNAPSHOT, 0, 3, 3, 0));
    assertThat(take(of(Kind.SNAPSHOT, 0, 3, 3, 0))).as("a copy").isEqualTo(Verdict.ENDS_EPOCH);
    assertThat(core.snapshot()).isEqualTo(3);
    assertThat(core.state().snapshotBefore()).isEqualTo(1);
  }

  @Test
  void epochs_before_the_start_of_the_log_are_forgotten() {
    mark();
    take(batches(0, 1, 1, 1));
    mark();
    take(batches(2, 1, 2, 1));
    assertThat(core.hasCounted(1, log.get(1))).isTrue();
    core.trimmed(1);
    assertThat(core.hasCounted(1, log.get(1))).as("the epoch goes on behind it").isTrue();
    core.trimmed(2);
    assertThat(core.hasCounted(1, log.get(1))).isFalse();
    assertThat(core.hasCounted(3, log.get(3))).isTrue();
  }

  @Test
  void epochs_beyond_the_bound_are_forgotten_oldest_first() {
    for (int i = 0; i <= FollowCore.STRETCHES_MAX; i++) {
      mark();
      take(batches(2L * i, 1, i + 1, 1));
    }
    assertThat(core.state().stretches()).hasSize(FollowCore.STRETCHES_MAX);
    assertThat(core.hasCounted(1, log.get(1))).isFalse();
    assertThat(core.hasCounted(3, log.get(3))).isTrue();
  }

  /** Records of any leaders, copies and strangers: whoever reads in parts comes to the same. */
  @Test
  void two_readers_agree_on_every_prefix() {
    for (long seed = 1; seed <= 200; seed++) {
      Random chance = new Random(seed);
      FollowCore whole = new FollowCore(FollowState.NONE);
      FollowCore parts = new FollowCore(FollowState.NONE);
      List<AppendHeader> all = new ArrayList<>();
      List<Verdict> verdicts = new ArrayList<>();
      long counted = 0;
      for (int offset = 0; offset < 300; offset++) {
        AppendHeader next = any(chance, all, whole);
        all.add(next);
        verdicts.add(whole.read(offset, next));
        counted += verdicts.get(offset) == Verdict.COUNTS ? next.changes() : 0;
        assertThat(whole.position()).as("positions are dense").isEqualTo(counted + 1);
        if (chance.nextInt(3) == 0) {
          parts = new FollowCore(parts.state());
        }
        assertThat(parts.read(offset, next)).isEqualTo(verdicts.get(offset));
        assertThat(parts.state()).isEqualTo(whole.state());
      }
      for (int offset = 0; offset < all.size(); offset++) {
        assertThat(whole.hasCounted(offset, all.get(offset)))
            .as("seed %d, offset %d", seed, offset)
            .isEqualTo(verdicts.get(offset) == Verdict.COUNTS);
      }
    }
  }

  private static AppendHeader any(Random chance, List<AppendHeader> all, FollowCore now) {
    int dice = chance.nextInt(20);
    if (all.isEmpty() || dice == 0) {
      return AppendHeader.marker(100 + all.size(), 5, NONE);
    }
    if (dice == 1) {
      AppendHeader copied = all.get(chance.nextInt(all.size()));
      return copied.kind() == Kind.MARKER ? batches(0, 1, 1, 1) : copied;
    }
    long epoch = now.newest().epoch();
    int changes = chance.nextInt(4);
    return switch (dice) {
      case 2 -> batches(epoch, now.number() + 2, now.position(), changes);
      case 3 -> batches(epoch, now.number() + 1, now.position() + 1, changes);
      case 4 -> batches(Math.max(0, epoch - 1), now.number() + 1, now.position(), changes);
      case 5 -> of(Kind.SNAPSHOT, epoch, now.number() + 1, now.position(), 0);
      default -> batches(epoch, now.number() + 1, now.position(), changes);
    };
  }
}
