package io.tunnel.cli.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogLevelsTest {

  @Test
  void a_level_alone_is_that_of_all_loggers_and_what_is_said_later_wins() {
    assertThat(LogLevels.parse("debug, io.netty = OFF,io.tunnel.server=trace,warn").byLogger())
        .isEqualTo(
            Map.of(
                "root",
                LogLevel.WARN,
                "io.netty",
                LogLevel.OFF,
                "io.tunnel.server",
                LogLevel.TRACE));
  }

  @Test
  void a_file_has_one_a_line_and_remarks() {
    LogLevels levels = LogLevels.parseLines("# while we look for it\n\ninfo\n  a.B$C = error\r\n");
    assertThat(levels.byLogger()).isEqualTo(Map.of("root", LogLevel.INFO, "a.B$C", LogLevel.ERROR));
    assertThat(LogLevels.parseLines("").byLogger()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "loud | 'loud' is no level; there are [off, error, warn, info, debug, trace]",
        "io.netty | 'io.netty' is no level",
        "io.netty= | '' is no level",
        "info, | '' is no level",
        "=info | '' is no logger",
        "a b=info | 'a b' is no logger, such as io.tunnel.server or root",
      })
  void what_is_not_right_is_answered_with_what_would_be(String text, String message) {
    assertThatThrownBy(() -> LogLevels.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void more_loggers_than_anyone_names_are_refused() {
    String most =
        IntStream.range(0, LogLevels.LOGGERS_MAX)
            .mapToObj(i -> "logger" + i + "=info")
            .collect(Collectors.joining("\n"));
    assertThat(LogLevels.parseLines(most).byLogger()).hasSize(LogLevels.LOGGERS_MAX);
    assertThatThrownBy(() -> LogLevels.parseLines(most + "\ninfo"))
        .hasMessageContaining("at most 256 loggers");
  }

  @Test
  void libraries_say_less_than_we_do_unless_they_are_named() {
    LogLevels levels = LogLevels.ordinary(LogLevel.DEBUG);
    assertThat(levels.byLogger())
        .containsEntry("root", LogLevel.DEBUG)
        .containsEntry("io.netty", LogLevel.WARN);
    assertThat(levels.with(LogLevels.parse("io.netty=debug")).byLogger())
        .containsEntry("root", LogLevel.DEBUG)
        .containsEntry("io.netty", LogLevel.DEBUG);
  }

  @Test
  void what_it_prints_can_be_read_again() {
    LogLevels levels = LogLevels.ordinary(LogLevel.INFO);
    assertThat(LogLevels.parse(levels.toString())).isEqualTo(levels);
  }

  /** A command that says itself what failed would show each failure twice. */
  @Test
  void no_library_is_louder_than_the_rest() {
    for (LogLevel root : LogLevel.values()) {
      Map<String, LogLevel> levels = LogLevels.ordinary(root).byLogger();
      assertThat(levels.values()).allMatch(level -> level.compareTo(root) <= 0);
      assertThat(levels.get(LogLevels.ROOT)).isEqualTo(root);
    }
    assertThat(LogLevels.ordinary(LogLevel.OFF).byLogger().values())
        .hasSizeGreaterThan(5)
        .containsOnly(LogLevel.OFF);
  }
}
