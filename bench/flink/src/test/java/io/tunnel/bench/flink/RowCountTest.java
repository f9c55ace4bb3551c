package io.tunnel.bench.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class RowCountTest {

  private long nanos;

  private RowCount count(long expected, int tallies) {
    return new RowCount(expected, tallies, () -> nanos, () -> 2 * nanos);
  }

  @Test
  void rows_of_all_tallies_count_also_those_that_they_have_not_told() {
    for (int ofFirst = 0; ofFirst <= 2_000; ofFirst += 37) {
      RowCount count = count(2_000, 2);
      RowTally first = count.tally();
      RowTally second = count.tally();
      for (int i = 0; i < 2_000; i++) {
        nanos++;
        (i < ofFirst ? first : second).row(3);
      }
      count.require(6_000);
      assertThat(count.last().rows()).isBetween(2_000L - 2 * RowCount.STEP_ROWS, 2_000L);
      assertThat(count.last().cpuNanos()).isEqualTo(2 * count.last().nanos());
    }
  }

  @Test
  void the_first_row_of_all_is_told_at_once() {
    RowCount count = count(1_000, 1);
    RowTally tally = count.tally();
    nanos = 5;
    tally.row(0);
    nanos = 6;
    tally.row(0);
    assertThat(count.first()).isEqualTo(new RowCount.Mark(5, 10, 1));
  }

  @Test
  void a_row_too_few_or_too_many_or_another_one_is_refused() {
    for (int seen : new int[] {999, 1_001}) {
      RowCount count = count(1_000, 1);
      RowTally tally = count.tally();
      for (int i = 0; i < seen; i++) {
        tally.row(0);
      }
      assertThatThrownBy(() -> count.require(0))
          .hasMessageContaining(seen + " rows")
          .hasMessageContaining("expected 1000");
    }
    RowCount count = count(1, 1);
    count.tally().row(7);
    assertThatThrownBy(() -> count.require(8)).hasMessageContaining("amounts 7");
  }

  @Test
  void batches_are_awaited_until_the_last() throws Exception {
    RowCount count = count(10, 1);
    count.arrived(4, 1, 1);
    assertThatThrownBy(() -> count.await(() -> Optional.of("lost"), 2))
        .hasMessageContaining("lost");
    count.arrived(6, 1, 1);
    count.await(Optional::empty, 1);
    assertThat(count.first().rows()).isEqualTo(4);
    assertThat(count.last().rows()).isEqualTo(10);
  }

  @Test
  void without_rows_there_is_neither_a_first_nor_a_last() {
    assertThatThrownBy(() -> count(10, 1).last()).hasMessageContaining("0 of 10 rows");
  }
}
