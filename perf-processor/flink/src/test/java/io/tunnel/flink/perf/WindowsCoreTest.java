package io.tunnel.flink.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowsCoreTest {

  private static final long INTERVAL_MS = 1_000;
  private static final long QUIET_MS = 5_000;
  private static final long NOW = 1_700_000_000_000L;
  private static final long NO_MARK = Long.MIN_VALUE;

  private final WindowsCore core =
      new WindowsCore(INTERVAL_MS, QUIET_MS, WindowsCore.State.NEW, NOW);

  private static LocalCounts told(long startMs, int partition, long rows) {
    return told(startMs, partition, rows, "p", 0);
  }

  private static LocalCounts told(
      long startMs, int partition, long rows, String process, long cpuNanos) {
    LocalCounts told = new LocalCounts();
    told.counts.startMs = startMs;
    told.counts.rowsByPartition.put(partition, rows);
    told.counts.bytes = 10 * rows;
    Histogram latencies = WindowCounts.noLatencies();
    latencies.recordValueWithCount(100, rows);
    told.counts.histogram(latencies);
    told.process = process;
    told.cpuNanos = cpuNanos;
    told.heapUsedBytes = 7;
    return told;
  }

  private static String text(WindowCounts window) {
    return (window.startMs - NOW)
        + ":"
        + window.rowsByPartition
        + (window.late == 0 ? "" : " late " + window.late);
  }

  private List<String> complete(long watermarkMs, long nowMs) {
    return core.complete(watermarkMs, nowMs).stream().map(WindowsCoreTest::text).toList();
  }

  @Test
  void a_window_is_complete_when_the_watermark_has_passed_it() {
    core.add(told(NOW, 1, 3), NOW);
    core.add(told(NOW, 2, 4), NOW);
    core.add(told(NOW + 1_000, 1, 5), NOW);
    assertThat(complete(NO_MARK, NOW)).isEmpty();
    assertThat(complete(NOW + 998, NOW)).isEmpty();
    assertThat(complete(NOW + 999, NOW)).containsExactly("0:{1=3, 2=4}");
    assertThat(complete(Long.MAX_VALUE, NOW)).containsExactly("1000:{1=5}");
  }

  @Test
  void what_is_told_of_a_window_is_added_up() {
    core.add(told(NOW, 1, 3), NOW);
    core.add(told(NOW, 1, 4), NOW);
    WindowCounts window = core.complete(Long.MAX_VALUE, NOW).get(0);
    assertThat(window.rowsByPartition).containsExactly(Map.entry(1, 7L));
    assertThat(window.bytes).isEqualTo(70);
    assertThat(window.histogram().getTotalCount()).isEqualTo(7);
  }

  @Test
  void a_row_of_a_complete_window_is_counted_in_the_next() {
    core.add(told(NOW, 1, 3), NOW);
    assertThat(complete(NOW + 999, NOW)).hasSize(1);
    core.add(told(NOW, 2, 9), NOW);
    core.add(told(NOW + 1_000, 1, 1), NOW);
    assertThat(complete(NOW + 1_999, NOW)).containsExactly("1000:{1=1, 2=9} late 9");
  }

  @Test
  void windows_without_rows_are_shown_while_they_are_young() {
    core.add(told(NOW, 1, 3), NOW);
    core.add(told(NOW + 3_000, 1, 3), NOW + 3_000);
    assertThat(complete(NOW + 3_999, NOW + 4_000))
        .containsExactly("0:{1=3}", "1000:{}", "2000:{}", "3000:{1=3}");
    long later = NOW + 3_600_000;
    core.add(told(later, 1, 3), later);
    assertThat(complete(later + 999, later)).hasSize(61).endsWith("3600000:{1=3}");
  }

  @Test
  void history_with_gaps_shows_no_windows_without_rows() {
    core.add(told(NOW - 86_400_000, 1, 3), NOW);
    core.add(told(NOW - 3_600_000, 1, 3), NOW);
    assertThat(complete(NOW - 3_500_000, NOW)).containsExactly("-86400000:{1=3}", "-3600000:{1=3}");
    core.add(told(NOW - 10_000, 1, 3), NOW);
    core.add(told(NOW - 5_000, 1, 3), NOW);
    assertThat(complete(NOW - 3_000, NOW)).containsExactly("-10000:{1=3}", "-5000:{1=3}");
  }

  @Test
  void windows_are_complete_by_the_clock_when_nobody_tells_anything() {
    core.add(told(NOW, 1, 3), NOW + 900);
    assertThat(complete(NOW + 500, NOW + 5_800)).isEmpty();
    assertThat(complete(NOW + 500, NOW + 6_000)).containsExactly("0:{1=3}");
    assertThat(complete(NOW + 500, NOW + 8_000)).containsExactly("1000:{}", "2000:{}");
    core.add(told(NOW + 7_000, 1, 2), NOW + 8_000);
    assertThat(complete(NOW + 500, NOW + 9_000)).isEmpty();
    assertThat(complete(NOW + 7_999, NOW + 9_000))
        .containsExactly("3000:{}", "4000:{}", "5000:{}", "6000:{}", "7000:{1=2}");
  }

  @Test
  void nothing_is_shown_before_the_first_row_and_an_end_without_rows_shows_nothing() {
    assertThat(complete(NO_MARK, NOW + 60_000)).isEmpty();
    assertThat(complete(Long.MAX_VALUE, NOW + 60_000)).isEmpty();
  }

  @Test
  void the_time_of_a_process_that_several_readers_tell_counts_once() {
    core.add(told(NOW, 1, 1, "p", 1_000), NOW);
    core.add(told(NOW, 2, 1, "p", 900), NOW);
    core.add(told(NOW, 2, 1, "q", 50), NOW);
    core.add(told(NOW + 1_000, 1, 1, "p", 1_500), NOW);
    List<WindowCounts> windows = core.complete(Long.MAX_VALUE, NOW);
    assertThat(windows).extracting(window -> window.cpuNanos).containsExactly(1_050L, 500L);
    assertThat(windows).extracting(window -> window.heapUsedBytes).containsExactly(14L, 14L);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void each_row_is_in_exactly_one_window_whatever_the_order_and_wherever_it_is_restored(long seed) {
    Random random = new Random(seed);
    Map<Integer, Long> expected = new HashMap<>();
    List<WindowCounts> all = new ArrayList<>();
    WindowsCore running = core;
    long watermarkMs = NOW - 1;
    long nowMs = NOW;
    for (int step = 0; step < 2_000; step++) {
      switch (random.nextInt(6)) {
        case 0 -> watermarkMs += random.nextInt(1_500);
        case 1 -> nowMs += random.nextInt(4_000);
        case 2 -> {
          if (random.nextInt(10) == 0) {
            running = new WindowsCore(INTERVAL_MS, QUIET_MS, running.state(), nowMs);
          }
        }
        default -> {
          int partition = random.nextInt(4);
          long rows = 1L + random.nextInt(100);
          long startMs = NOW + 1_000 * (long) random.nextInt(1 + step);
          running.add(told(startMs, partition, rows), nowMs);
          expected.merge(partition, rows, Long::sum);
        }
      }
      all.addAll(running.complete(watermarkMs, nowMs));
    }
    all.addAll(running.complete(Long.MAX_VALUE, nowMs));
    Map<Integer, Long> counted = new HashMap<>();
    all.forEach(window -> window.rowsByPartition.forEach((p, n) -> counted.merge(p, n, Long::sum)));
    assertThat(counted).as("seed %d", seed).isEqualTo(expected);
    List<Long> starts = all.stream().map(window -> window.startMs).toList();
    assertThat(starts).as("seed %d", seed).doesNotHaveDuplicates().isSorted();
    assertThat(all).allMatch(window -> window.late <= window.rows());
  }
}
