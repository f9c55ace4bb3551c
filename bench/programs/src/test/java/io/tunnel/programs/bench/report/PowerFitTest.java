package io.tunnel.programs.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class PowerFitTest {

  private static List<Plot.Point> points(DoubleUnaryOperator law, double... xs) {
    return DoubleStream.of(xs).mapToObj(x -> new Plot.Point(x, law.applyAsDouble(x))).toList();
  }

  private static double exponent(List<Plot.Point> points) {
    return PowerFit.exponent(points).orElseThrow();
  }

  @Test
  void a_power_law_has_its_exponent_whatever_its_factor() {
    assertThat(exponent(points(x -> 7 * x, 1, 3, 10))).isEqualTo(1, within(1e-9));
    assertThat(exponent(points(x -> 1e6 / x, 1, 2, 64))).isEqualTo(-1, within(1e-9));
    assertThat(exponent(points(x -> 42, 1, 1_024))).isEqualTo(0, within(1e-9));
    assertThat(exponent(points(x -> x * x, 2, 4, 8, 16))).isEqualTo(2, within(1e-9));
  }

  @Test
  void one_place_has_no_exponent() {
    assertThat(PowerFit.exponent(List.of())).isEmpty();
    assertThat(PowerFit.exponent(points(x -> x, 5))).isEmpty();
    assertThat(PowerFit.exponent(points(x -> x, 5, 5, 5))).isEmpty();
  }

  @Test
  void what_has_no_logarithm_is_left_out() {
    List<Plot.Point> points =
        List.of(new Plot.Point(0, 3), new Plot.Point(1, 5), new Plot.Point(10, 50));
    assertThat(exponent(points)).isEqualTo(1, within(1e-9));
  }

  @Test
  void a_curve_that_turns_flat_bends_where_it_does() {
    List<Plot.Point> points = points(x -> Math.min(x, 16), 1, 2, 4, 8, 16, 32, 64, 128);
    assertThat(PowerFit.knee(points)).isEqualTo(OptionalDouble.of(16));
  }

  @Test
  void a_curve_that_follows_one_law_bends_nowhere() {
    assertThat(PowerFit.knee(points(x -> 3 * Math.pow(x, 0.7), 1, 2, 4, 8, 16))).isEmpty();
    assertThat(PowerFit.knee(points(x -> x, 1, 2))).isEmpty();
    assertThat(PowerFit.knee(List.of())).isEmpty();
  }
}
