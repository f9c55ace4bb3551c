package io.tunnel.programs.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.live.WorkerProcess.Second;
import java.util.List;
import org.junit.jupiter.api.Test;

class WhitepaperBenchTest {

  private static final WhitepaperCase TWO = new WhitepaperCase(4, 2);

  private static Second second(double rows, double cores, double p99) {
    return new Second("interval", 1, rows, 200 * rows, p99 / 2, p99, cores);
  }

  @Test
  void processes_add_up_second_by_second_and_the_slower_one_is_the_latency() {
    WhitepaperFigures figures =
        WhitepaperBench.figures(
            TWO,
            List.of(
                List.of(second(100, 0.5, 2), second(300, 0.5, 8), second(200, 0.5, 4)),
                List.of(second(100, 0.25, 6), second(300, 0.25, 2))),
            4096);
    assertThat(figures.steadyRowsPerSecond()).isEqualTo(400);
    assertThat(figures.peakRowsPerSecond()).isEqualTo(600);
    assertThat(figures.msPerThousandRows()).isEqualTo(2_500);
    assertThat(figures.cores()).isEqualTo(0.75);
    assertThat(figures.bytesPerSecond()).isEqualTo(80_000);
    assertThat(figures.latencyP99Ms()).isEqualTo(7);
    assertThat(figures.memoryBytes()).isEqualTo(4096);
  }

  @Test
  void a_process_that_said_nothing_fails_the_case() {
    assertThatThrownBy(
            () -> WhitepaperBench.figures(TWO, List.of(List.of(second(1, 1, 1)), List.of()), 4096))
        .hasMessageContaining("said nothing");
  }
}
