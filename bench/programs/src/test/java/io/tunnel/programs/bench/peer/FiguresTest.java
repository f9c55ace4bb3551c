package io.tunnel.programs.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {

  @Test
  void the_median_of_an_odd_number_of_rounds_is_the_middle_one() {
    assertThat(median(9, 1, 3)).isEqualTo(3);
  }

  @Test
  void the_median_of_an_even_number_of_rounds_is_between_the_middle_ones() {
    assertThat(median(9, 1, 3, 4)).isEqualTo(3.5);
  }

  @Test
  void rounds_without_a_number_do_not_count() {
    assertThat(median(Double.NaN, 4, 2, 9)).isEqualTo(4);
    assertThat(median(Double.NaN)).isNaN();
  }

  private static double median(double... values) {
    List<Figures> rounds =
        Arrays.stream(values)
            .mapToObj(
                value -> {
                  Figures figures = new Figures();
                  figures.put("rows/s", value);
                  return figures;
                })
            .toList();
    return Figures.medians(rounds).get("rows/s");
  }
}
