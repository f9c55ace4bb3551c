package io.tunnel.programs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tunnel.programs.bench.live.ServerProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

class SoakReportTest {

  private static final ServerProbe.Holding NOTHING = new ServerProbe.Holding(0, 0, 0, 0, 0);

  private static SoakSample sample(double seconds, double rate, double p99Ms) {
    return new SoakSample(seconds, rate, rate, 0, p99Ms, p99Ms, 50, 1, NOTHING);
  }

  /** Looks come every ten seconds, and every second during the drain. */
  @Test
  void a_look_weighs_as_much_as_the_time_that_it_tells_of() {
    List<SoakSample> samples = new ArrayList<>(List.of(sample(10, 100, 1), sample(20, 100, 1)));
    for (int second = 21; second <= 30; second++) {
      samples.add(sample(second, 40, Double.NaN));
    }
    assertThat(SoakReport.mean(samples, each -> true, SoakSample::writeRowsPerSecond))
        .isCloseTo(80, within(1e-9));
    assertThat(SoakReport.mean(samples, each -> true, SoakSample::latencyP99Ms)).isEqualTo(1);
    assertThat(SoakReport.mean(samples, each -> false, SoakSample::latencyP99Ms)).isNaN();
  }

  @Test
  void what_the_drain_raises_is_no_part_of_growth() {
    List<SoakSample> samples = new ArrayList<>();
    for (int second = 10; second <= 400; second += 10) {
      double p99Ms = second > 300 ? 12 : second > 150 && second <= 170 ? 500 : 10;
      samples.add(sample(second, 100, p99Ms));
    }
    SoakBench.Result result =
        new SoakBench.Result(
            samples, new SoakBench.Drain(150, 170, 9), new SoakBench.WriteP99(1, 1, 1));
    assertThat(SoakReport.growth(result, SoakSample::latencyP99Ms)).isCloseTo(20, within(1e-9));
    assertThat(SoakReport.growth(result, SoakSample::writeRowsPerSecond)).isZero();
  }

  private static SoakBench.Result held(DoubleUnaryOperator bytesAfter) {
    List<SoakSample> samples = new ArrayList<>();
    for (int second = 10; second <= 400; second += 10) {
      double bytes = second <= 170 ? second : bytesAfter.applyAsDouble(second);
      samples.add(
          new SoakSample(
              second, 1, 1, 0, 1, 1, 50, 1, new ServerProbe.Holding(bytes, bytes, 1, 1, bytes)));
    }
    return new SoakBench.Result(
        samples, new SoakBench.Drain(150, 170, 9), new SoakBench.WriteP99(1, 1, 1));
  }

  private static String verdict(DoubleUnaryOperator bytesAfter) {
    return SoakReport.verdict(
        "memory", SoakReport.trend(held(bytesAfter), each -> each.holding().residentBytes()));
  }

  @Test
  void memory_that_rises_behind_the_drain_is_said_to_and_other_memory_is_not() {
    assertThat(verdict(second -> 1_000_000 + 100 * second + second % 30))
        .startsWith("RISES: memory, by 3");
    assertThat(verdict(second -> 1_000_000 + second % 30)).startsWith("Does not rise: memory, by ");
    assertThat(verdict(second -> 1_000_000 - 100 * second + second % 30))
        .startsWith("Does not rise: memory, by -3");
    assertThat(verdict(second -> 1_000_000 + 100_000 * (second % 70 / 40)))
        .startsWith("Undecided: memory, by ")
        .endsWith("; a longer soak can tell.");
    assertThat(verdict(second -> Double.NaN))
        .isEqualTo("Undecided: memory, of which too few looks are independent.");
  }

  @Test
  void looks_come_every_ten_seconds_of_an_hour_and_fewer_of_a_week() {
    assertThat(SoakBench.everyNanos(TimeUnit.MINUTES.toNanos(1)))
        .isEqualTo(TimeUnit.SECONDS.toNanos(1));
    assertThat(SoakBench.everyNanos(TimeUnit.HOURS.toNanos(1)))
        .isEqualTo(TimeUnit.SECONDS.toNanos(10));
    assertThat(SoakBench.everyNanos(TimeUnit.DAYS.toNanos(7)))
        .isEqualTo(TimeUnit.DAYS.toNanos(7) / 10_000);
  }
}
