package io.tunnel.server.replica.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DueCoreTest {

  private static final DueCore.Limits LIMITS = new DueCore.Limits(100, 2, 2_000, 10, 40);
  private static final long MINUTE = 60_000_000_000L;

  private final DueCore core = new DueCore(LIMITS);

  @Test
  void a_partition_is_due_when_its_log_is_over_twice_its_rows_and_over_the_least() {
    core.lead(1, 30, 100);
    assertThat(core.next(0)).isEmpty();
    core.logged(1, 1, 30);
    assertThat(core.next(0)).hasValue(1);
    core.logged(1, 99, 100);
    assertThat(core.next(0)).as("200 of log, 100 of rows").isEmpty();
    core.logged(1, 1, 100);
    assertThat(core.next(0)).hasValue(1);
  }

  @Test
  void one_snapshot_at_a_time_and_the_partition_furthest_behind_first() {
    core.lead(1, 0, 150);
    core.lead(2, 0, 300);
    core.lead(3, 0, 200);
    assertThat(core.next(0)).hasValue(2);
    core.began(2);
    assertThat(core.next(0)).isEmpty();
    assertThatThrownBy(() -> core.began(1)).isInstanceOf(IllegalStateException.class);
    core.logged(2, 20, 0);
    core.counted(2);
    assertThat(core.next(0)).hasValue(3);
    assertThat(core.logBytes()).as("the log since the scan stays").isEqualTo(370);
    core.began(3);
    core.leave(3);
    assertThat(core.next(0)).hasValue(1);
  }

  @Test
  void a_failed_snapshot_waits_longer_each_time_and_does_not_hold_up_others() {
    core.lead(1, 0, 300);
    core.lead(2, 0, 200);
    core.began(1);
    core.failed(1, 0);
    assertThat(core.next(1)).hasValue(2);
    core.leave(2);
    assertThat(core.next(MINUTE - 1)).isEmpty();
    assertThat(core.next(MINUTE)).hasValue(1);
    core.began(1);
    core.failed(1, MINUTE);
    assertThat(core.next(3 * MINUTE - 1)).isEmpty();
    assertThat(core.next(3 * MINUTE)).hasValue(1);
    for (int i = 0; i < 20; i++) {
      core.began(1);
      core.failed(1, 0);
    }
    assertThat(core.next(16 * MINUTE)).hasValue(1);
    core.began(1);
    core.counted(1);
    core.logged(1, 500, 0);
    assertThat(core.next(0)).hasValue(1);
  }

  @Test
  void many_small_logs_are_bounded_in_the_sum() {
    for (int partition = 1; partition <= 30; partition++) {
      core.lead(partition, partition == 7 ? 0 : 1 << 20, 66);
    }
    assertThat(core.next(0)).isEmpty();
    core.logged(30, 34, 1 << 20);
    assertThat(core.next(0)).as("the most log for the fewest rows").hasValue(7);
  }

  @Test
  void the_pace_rises_up_to_its_bound_when_writes_outrun_snapshots() {
    core.lead(1, 0, 100);
    assertThat(core.paceBytes()).isEqualTo(10);
    core.logged(1, 100, 0);
    assertThat(core.paceBytes()).isEqualTo(20);
    assertThat(core.isOutrun()).isFalse();
    core.logged(1, 10_000, 0);
    assertThat(core.paceBytes()).isEqualTo(40);
    assertThat(core.isOutrun()).isTrue();
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void logs_stay_bounded_while_snapshots_keep_up(long seed) {
    Random random = new Random(seed);
    for (int partition = 1; partition <= 20; partition++) {
      core.lead(partition, random.nextInt(200), random.nextInt(50));
    }
    for (int step = 0; step < 5_000; step++) {
      core.logged(1 + random.nextInt(20), random.nextInt(40), random.nextInt(200));
      OptionalInt next = core.next(0);
      if (next.isPresent()) {
        core.began(next.getAsInt());
        core.counted(next.getAsInt());
      }
      assertThat(core.logBytes()).isLessThanOrEqualTo(LIMITS.nodeLogBytesMax() + 40);
    }
  }

  @Test
  void what_is_not_led_or_not_running_is_a_broken_invariant() {
    assertThatThrownBy(() -> core.logged(9, 1, 1)).hasMessageContaining("partition 9 is not led");
    assertThatThrownBy(() -> core.counted(9)).hasMessageContaining("no snapshot of partition 9");
    assertThatThrownBy(() -> new DueCore.Limits(1, 1, 1, 5, 4)).hasMessageContaining("a pace of 5");
    assertThatThrownBy(() -> new DueCore.Limits(0, 1, 1, 5, 6)).hasMessageContaining("below 1");
  }
}
