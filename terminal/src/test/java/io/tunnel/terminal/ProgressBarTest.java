package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProgressBarTest {

  private static final long MS = 1_000_000L;

  private final StringWriter screen = new StringWriter();
  private final AtomicLong nanos = new AtomicLong(42);

  private ProgressBar bar(boolean isTerminal, long total) {
    return new ProgressBar(
        "writing",
        "rows",
        total < 0 ? OptionalLong.empty() : OptionalLong.of(total),
        new Screen(new PrintWriter(screen), isTerminal, 80),
        nanos::get);
  }

  private List<String> lines() {
    return screen.toString().lines().toList();
  }

  @Test
  void without_a_terminal_there_is_a_plain_line_every_five_seconds_and_one_at_the_end() {
    try (ProgressBar bar = bar(false, 1_000)) {
      for (int i = 0; i < 99; i++) {
        nanos.addAndGet(100 * MS);
        bar.add(10);
      }
    }
    assertThat(lines())
        .containsExactly(
            "writing: 50%  500/1,000 rows  100/s  ETA 5.0 s",
            "writing: 990 rows in 9.9 s, 100 rows/s");
  }

  @Test
  void what_an_earlier_run_has_done_is_shown_and_makes_no_rate() {
    try (ProgressBar bar = bar(false, 1_000)) {
      bar.begunAt(900);
      for (int i = 0; i < 10; i++) {
        nanos.addAndGet(1_000 * MS);
        bar.add(5);
      }
    }
    assertThat(lines())
        .containsExactly(
            "writing: 92%  925/1,000 rows  5/s  ETA 15.0 s",
            "writing: 95%  950/1,000 rows  5/s  ETA 10.0 s",
            "writing: 950 rows in 10.0 s, 5 rows/s");
  }

  @Test
  void a_last_line_has_no_rate_where_the_rate_would_be_zero() {
    try (ProgressBar bar = bar(false, 1_000)) {
      nanos.addAndGet(1_000 * MS);
      bar.add(0);
    }
    assertThat(lines()).containsExactly("writing: 0 rows in 1.0 s");
    try (ProgressBar bar = bar(false, 1_000)) {
      bar.begunAt(1_000);
      nanos.addAndGet(1_000 * MS);
    }
    assertThat(lines()).last().isEqualTo("writing: 1,000 rows in 1.0 s");
  }

  @Test
  void on_a_terminal_one_line_is_drawn_over_and_over() {
    try (ProgressBar bar = bar(true, 1_000)) {
      for (int i = 0; i < 4; i++) {
        nanos.addAndGet(200 * MS);
        bar.add(250);
      }
    }
    String[] drawn = screen.toString().split("\r", -1);
    assertThat(drawn[1]).startsWith("writing [####");
    assertThat(drawn[1]).contains("] 25%  250/1,000 rows  1.25 k/s  ETA 600 ms");
    assertThat(drawn[4].strip()).contains("] 100%  1,000/1,000 rows  1.25 k/s  ETA 0 ms");
    assertThat(drawn).allSatisfy(line -> assertThat(line.strip()).hasSizeLessThan(80));
    assertThat(drawn[drawn.length - 1].strip())
        .isEqualTo("writing: 1,000 rows in 800 ms, 1,250 rows/s");
  }

  @Test
  void nothing_is_drawn_before_its_time() {
    ProgressBar bar = bar(true, 1_000);
    nanos.addAndGet(199 * MS);
    bar.add(1);
    assertThat(screen.toString()).isEmpty();
    nanos.addAndGet(1 * MS);
    bar.add(1);
    assertThat(screen.toString()).contains("2/1,000 rows");
    bar.close();
  }

  @Test
  void a_shorter_line_leaves_nothing_of_a_longer_one() {
    ProgressBar bar = bar(true, -1);
    nanos.addAndGet(200 * MS);
    bar.add(1_234_567);
    nanos.addAndGet(3_000_000 * MS);
    bar.add(1);
    bar.close();
    String[] drawn = screen.toString().split("\r", -1);
    assertThat(drawn[1]).startsWith("writing 1,234,567 rows  6.17 M/s");
    assertThat(drawn[2]).startsWith("writing 1,234,568 rows");
    assertThat(drawn[2].length()).isGreaterThanOrEqualTo(drawn[1].length());
  }

  @Test
  void other_output_goes_where_the_bar_was() {
    ProgressBar bar = bar(true, 10);
    nanos.addAndGet(200 * MS);
    bar.add(5);
    bar.above(() -> screen.append("other line\n"));
    assertThat(screen.toString()).matches("(?s).*5/10 rows.*\r +\rother line\n");
    bar.close();
  }

  @Test
  void progress_never_goes_back_and_closing_twice_prints_once() {
    ProgressBar bar = bar(false, 100);
    bar.advanceTo(60);
    bar.advanceTo(50);
    nanos.addAndGet(1_000 * MS);
    bar.close();
    bar.close();
    bar.add(40);
    assertThat(lines()).containsExactly("writing: 60 rows in 1.0 s, 60 rows/s");
  }

  @Test
  void many_threads_may_report() {
    try (ProgressBar bar = bar(true, 80_000)) {
      IntStream.range(0, 8)
          .parallel()
          .forEach(
              thread -> {
                for (int i = 0; i < 10_000; i++) {
                  nanos.addAndGet(1 * MS);
                  bar.add(1);
                }
              });
    }
    assertThat(screen.toString()).contains("writing: 80,000 rows in ");
  }

  @Test
  void a_narrow_screen_drops_the_bar_and_then_cuts_the_line() {
    ProgressCore.Reading at = new ProgressCore(OptionalLong.of(10), 0).observe(1_000 * MS, 5);
    ProgressText text = new ProgressText("writing", "rows");
    assertThat(text.bar(at, 48)).isEqualTo("writing 50%  5/10 rows  5/s  ETA 1.0 s");
    assertThat(text.bar(at, 20)).isEqualTo("writing 50%  5/10 ro");
  }

  @Test
  void a_terminal_is_known_by_its_device_and_its_width_by_the_environment() {
    assertThat(Screen.isTerminalDevice("/dev/pts/3")).isTrue();
    assertThat(Screen.isTerminalDevice("/dev/tty1")).isTrue();
    assertThat(Screen.isTerminalDevice("pipe:[123]")).isFalse();
    assertThat(Screen.isTerminalDevice("/dev/null")).isFalse();
    assertThat(columns(null, OptionalInt.empty())).isEqualTo(80);
    assertThat(columns("120", OptionalInt.of(90))).isEqualTo(120);
    assertThat(columns("3", OptionalInt.of(90))).isEqualTo(20);
    assertThat(columns("wide", OptionalInt.of(90))).isEqualTo(90);
    assertThat(columns("9999", OptionalInt.empty())).isEqualTo(1_000);
    assertThat(columns(null, OptionalInt.of(5))).isEqualTo(20);

    PrintWriter writer = new PrintWriter(screen);
    Screen bar = Screen.standardError(writer, Map.of("TUNNEL_PROGRESS", "bar", "COLUMNS", "100"));
    assertThat(bar.isRedrawable()).isTrue();
    assertThat(bar.columns()).isEqualTo(100);
    assertThat(Screen.standardError(writer, Map.of("TUNNEL_PROGRESS", "plain")).isRedrawable())
        .isFalse();
    assertThat(Screen.standardError(writer, Map.of("TERM", "dumb")).isRedrawable()).isFalse();
  }

  private static int columns(String variable, OptionalInt terminal) {
    Optional<TerminalSize> found =
        terminal.isPresent()
            ? Optional.of(new TerminalSize(terminal.getAsInt(), 24))
            : Optional.empty();
    return Screen.size(found, Screen.columns(variable)).columns();
  }

  @Test
  void a_bar_follows_the_width_and_leaves_a_line_that_was_broken() {
    TerminalSize[] size = {new TerminalSize(80, 24)};
    try (ProgressBar bar =
        new ProgressBar(
            "writing",
            "rows",
            OptionalLong.of(80_000),
            new Screen(new PrintWriter(screen), true, () -> size[0]),
            nanos::get)) {
      nanos.addAndGet(300_000_000L);
      bar.add(10);
      size[0] = new TerminalSize(30, 24);
      nanos.addAndGet(300_000_000L);
      bar.add(10);
      String drawn = screen.toString();
      List<String> lines = List.of(drawn.split("\n"));
      assertThat(lines).hasSize(2);
      assertThat(lines.get(1).strip()).startsWith("writing").hasSizeLessThan(30);
    }
  }
}
