package io.tunnel.bench.flink.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OrdinalsTest {

  @Test
  void rows_go_on_behind_the_furthest_that_anybody_knows_of() {
    Ordinals ordinals = new Ordinals();
    ordinals.restore(3, 8);
    ordinals.restore(3, 10);
    ordinals.restore(3, 9);
    ordinals.next(3, 11);
    ordinals.next(4, 1);
    assertThat(ordinals.lastByPartition()).isEqualTo(Map.of(3, 11L, 4, 1L));
  }

  @Test
  void a_row_that_was_there_and_one_that_leaves_a_gap_are_refused() {
    Ordinals ordinals = new Ordinals();
    ordinals.next(0, 1);
    assertThatThrownBy(() -> ordinals.next(0, 1)).hasMessage("row 1 of partition 0 behind row 1");
    assertThatThrownBy(() -> ordinals.next(0, 3)).hasMessage("row 3 of partition 0 behind row 1");
    assertThatThrownBy(() -> ordinals.next(1, 2)).hasMessage("row 2 of partition 1 behind row 0");
  }
}
