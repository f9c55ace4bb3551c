package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.TrimCore.Kept;
import io.tunnel.server.replica.snapshot.SnapshotContent;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TrimCoreTest {

  private static final long MINUTE = 60_000_000_000L;
  private static final Kept NOTHING = new Kept(1_000_000, 1_000_000);
  private static final int STEPS = 3_000;

  private final TrimCore core = new TrimCore(Trim.NONE);

  private static Snapshot snapshot(long id, long next, long position, long firstBlock) {
    FollowState at = new FollowState(next, position, 0, true, -1, -1, List.of());
    return new Snapshot(id, at, 0, Trim.NONE, new SnapshotContent(firstBlock, 1, 0, 40, 0));
  }

  private void counts(AppendValue value, long nowNanos) {
    core.read(Verdict.COUNTS, value, nowNanos);
  }

  private void countThree() {
    counts(snapshot(1, 10, 100, 5), 0);
    counts(snapshot(2, 20, 200, 6), MINUTE);
    counts(snapshot(3, 30, 300, 7), 2 * MINUTE);
  }

  @Test
  void a_log_is_trimmed_to_the_second_newest_verified_snapshot_a_minute_after_the_newest() {
    countThree();
    long late = 60 * MINUTE;
    assertThat(core.due(NOTHING, true, late)).isEmpty();
    core.verified(2, true);
    assertThat(core.due(NOTHING, true, late)).as("one snapshot is verified").isEmpty();
    core.verified(1, true);
    assertThat(core.due(NOTHING, true, 2 * MINUTE - 1)).isEmpty();
    assertThat(core.due(NOTHING, true, 2 * MINUTE)).contains(new Trim(100, 10, 5));
    core.verified(3, true);
    assertThat(core.due(NOTHING, true, 3 * MINUTE - 1)).contains(new Trim(100, 10, 5));
    assertThat(core.due(NOTHING, true, 3 * MINUTE)).contains(new Trim(200, 20, 6));
    assertThat(core.trimmed()).as("until the record counts").isEqualTo(Trim.NONE);
    counts(new Trim(200, 20, 6), 0);
    assertThat(core.trimmed()).isEqualTo(new Trim(200, 20, 6));
    assertThat(core.due(NOTHING, true, late)).isEmpty();
    assertThat(core.usable()).extracting(Snapshot::id).containsExactly(3L, 2L);
  }

  @Test
  void snapshots_that_come_more_often_than_the_wait_do_not_hold_up_a_trim() {
    long second = MINUTE / 60;
    for (int id = 1; id <= 30; id++) {
      counts(snapshot(id, id * 10L, id * 100L, id), id * 10L * second);
      core.verified(id, true);
    }
    assertThat(core.due(NOTHING, true, 300 * second)).contains(new Trim(2_300, 230, 23));
  }

  @Test
  void a_large_snapshot_waits_for_the_time_that_a_slow_node_needs_to_read_it() {
    for (int id = 1; id <= 2; id++) {
      FollowState at = new FollowState(id, id, 0, true, -1, -1, List.of());
      SnapshotContent blocks = new SnapshotContent(id, 1, 0, 56L << 30, 0);
      counts(new Snapshot(id, at, 0, Trim.NONE, blocks), 0);
      core.verified(id, true);
    }
    long wait = MINUTE + (56L << 30) / (8 << 20) * (MINUTE / 60);
    assertThat(core.due(NOTHING, true, wait - 1)).isEmpty();
    assertThat(core.due(NOTHING, true, wait)).contains(new Trim(1, 1, 1));
  }

  @Test
  void a_leader_verifies_for_itself_only_without_other_replicas() {
    countThree();
    core.verified(1, false);
    core.verified(2, false);
    core.verified(3, false);
    assertThat(core.unverified(false)).isEmpty();
    assertThat(core.unverified(true)).hasValue(3);
    assertThat(core.due(NOTHING, true, 60 * MINUTE)).isEmpty();
    assertThat(core.due(NOTHING, false, 60 * MINUTE)).contains(new Trim(200, 20, 6));
  }

  @Test
  void what_the_retention_keeps_is_not_trimmed_and_blocks_go_all_the_same() {
    countThree();
    core.verified(2, true);
    core.verified(3, true);
    assertThat(core.due(new Kept(1, 0), true, 60 * MINUTE)).contains(new Trim(1, 0, 6));
    assertThat(core.due(new Kept(150, 12), true, 60 * MINUTE)).contains(new Trim(150, 12, 6));
  }

  @Test
  void records_that_do_not_count_and_ids_that_do_not_rise_change_nothing() {
    countThree();
    for (Verdict verdict : Verdict.values()) {
      if (verdict != Verdict.COUNTS) {
        core.read(verdict, new Trim(300, 30, 7), 0);
        core.read(verdict, snapshot(9, 40, 400, 9), 0);
      }
    }
    counts(snapshot(3, 50, 500, 10), 0);
    assertThat(core.trimmed()).isEqualTo(Trim.NONE);
    assertThat(core.usable()).extracting(Snapshot::id).containsExactly(3L, 2L, 1L);
    assertThat(core.usable().get(0).blocks().firstOffset()).isEqualTo(7);
    core.verified(77, true);
  }

  @Test
  void only_so_many_snapshots_are_remembered() {
    for (int id = 1; id <= 2 * TrimCore.SNAPSHOTS_MAX; id++) {
      counts(snapshot(id, id * 10L, id * 100L, id), 0);
    }
    assertThat(core.usable()).hasSize(TrimCore.SNAPSHOTS_MAX);
    core.verified(1, true);
    core.verified(2, true);
    assertThat(core.due(NOTHING, true, 60 * MINUTE)).isEmpty();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void nothing_that_a_node_needs_is_deleted_whoever_leads(long seed) {
    TrimWorld world = new TrimWorld(new Random(seed));
    for (int step = 0; step < STEPS; step++) {
      world.step();
      Optional<String> broken = world.broken();
      assertThat(broken).as("seed %d, step %d", seed, step).isEmpty();
    }
    assertThat(world.trims()).as("trims of seed %d", seed).isGreaterThan(3);
    assertThat(world.fenced()).as("fenced trims and snapshots of seed %d", seed).isPositive();
  }
}
