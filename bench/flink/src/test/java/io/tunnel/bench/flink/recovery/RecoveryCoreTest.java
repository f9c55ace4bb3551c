package io.tunnel.bench.flink.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecoveryCoreTest {

  private static final long MS = 1_000_000;
  private static final int LAG_MS = 200;

  private final RecoveryCore core = new RecoveryCore(2, LAG_MS);

  private void seen(long openedMs, int partition, long lagMs, long nowMs) {
    core.seen(openedMs * MS, partition, lagMs, nowMs * MS);
  }

  @Test
  void a_job_is_fresh_when_the_last_row_of_every_partition_was() {
    core.begin(1_000 * MS);
    seen(1_100, 0, 700, 1_150);
    seen(1_100, 0, LAG_MS, 1_200);
    assertThat(core.isFresh()).isFalse();
    seen(1_100, 1, LAG_MS + 1, 1_250);
    assertThat(core.isFresh()).isFalse();
    seen(1_100, 0, LAG_MS + 1, 1_270);
    seen(1_100, 1, LAG_MS, 1_280);
    assertThat(core.isFresh()).isFalse();
    seen(1_100, 0, 5, 1_300);
    assertThat(core.isFresh()).isTrue();
    assertThat(core.figures())
        .containsEntry("first row ms", 150.0)
        .containsEntry("caught up ms", 300.0)
        .containsEntry("oldest row ms", 700.0);
  }

  @Test
  void what_tasks_see_that_were_there_before_does_not_count() {
    core.begin(1_000 * MS);
    seen(999, 0, 0, 1_010);
    seen(999, 1, 0, 1_010);
    assertThat(core.isFresh()).isFalse();
    seen(1_020, 0, 1, 1_030);
    seen(1_020, 1, 1, 1_040);
    assertThat(core.figures()).containsEntry("first row ms", 30.0);
  }

  @Test
  void what_comes_later_changes_nothing_until_the_next_interruption() {
    core.begin(0);
    seen(1, 0, 0, 2);
    seen(1, 1, 0, 3);
    seen(1, 1, 9_999, 4);
    assertThat(core.figures()).containsEntry("oldest row ms", 0.0);
    core.begin(10 * MS);
    assertThat(core.isFresh()).isFalse();
    seen(1, 0, 0, 11);
    seen(12, 0, 1, 13);
    seen(12, 1, 2, 14);
    assertThat(core.figures())
        .containsEntry("first row ms", 3.0)
        .containsEntry("caught up ms", 4.0)
        .containsEntry("oldest row ms", 2.0);
  }
}
