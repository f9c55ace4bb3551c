package io.tunnel.bench.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void the_median_of_an_odd_number_is_the_middle_one() {
    assertThat(Spread.of(List.of(9.0, 1.0, 3.0))).isEqualTo(new Spread(1, 3, 9));
  }

  @Test
  void the_median_of_an_even_number_is_between_the_middle_ones() {
    assertThat(Spread.of(List.of(9.0, 1.0, 3.0, 4.0))).isEqualTo(new Spread(1, 3.5, 9));
  }

  @Test
  void nothing_has_no_spread() {
    assertThatThrownBy(() -> Spread.of(List.of())).hasMessageContaining("nothing");
  }
}
