package io.tunnel.bench.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.bench.flink.RowCount.Mark;
import org.junit.jupiter.api.Test;

class PassesTest {

  private static Mark mark(double seconds, double cpuSeconds, long rows) {
    return new Mark((long) (seconds * 1e9), (long) (cpuSeconds * 1e9), rows);
  }

  @Test
  void reading_is_between_the_first_and_the_last_rows_and_whole_is_all_of_it() {
    Passes passes = new Passes();
    passes.add(
        new Passes.Pass(mark(0, 0, 0), mark(0.5, 1, 100), mark(2.5, 4, 1_100), mark(4, 4.5, 0)));
    passes.add(
        new Passes.Pass(mark(4, 4.5, 0), mark(4.5, 5, 100), mark(6.5, 8, 1_100), mark(8, 8.8, 0)));
    assertThat(passes.count()).isEqualTo(2);
    assertThat(passes.rows()).isEqualTo(2_200);
    assertThat(passes.figures())
        .containsEntry("rows/s", 500.0)
        .containsEntry("CPU ns/row", 3e6)
        .containsEntry("rows/s whole", 275.0)
        .containsEntry("CPU ns/row whole", 4e6)
        .containsEntry("start ms", 500.0);
  }

  @Test
  void a_pass_in_which_all_rows_come_at_once_measures_nothing() {
    Mark all = mark(1, 1, 10);
    assertThatThrownBy(() -> new Passes.Pass(mark(0, 0, 0), all, all, mark(2, 2, 0)))
        .hasMessageContaining("too few");
  }

  @Test
  void a_pass_does_not_end_before_its_last_row() {
    assertThatThrownBy(
            () -> new Passes.Pass(mark(0, 0, 0), mark(1, 1, 1), mark(3, 3, 10), mark(2, 2, 0)))
        .hasMessageContaining("forward");
  }
}
