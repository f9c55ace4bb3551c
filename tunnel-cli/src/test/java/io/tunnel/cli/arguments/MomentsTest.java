package io.tunnel.cli.arguments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.StreamStart;
import java.time.ZoneId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MomentsTest {

  private final Moments moments = new Moments(1_000_000_000L, ZoneId.of("+02:00"));

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1795219200000, 1795219200000",
    "2026-11-21T00:00:00Z, 1795219200000",
    "2026-11-21t00:00:00.250z, 1795219200250",
    "2026-11-21T01:00:00+01:00, 1795219200000",
    "2026-11-21T02:00, 1795219200000",
    "-15m, 999100000",
    "-1d, 913600000",
    "-500ms, 999999500",
    "+1h, 1003600000",
    "-0s, 1000000000"
  })
  void a_moment_is_read_in_every_form(String text, long ms) {
    assertThat(moments.parse("--to", text, "")).isEqualTo(ms);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "soon",
        "-",
        "-15x",
        "2026-11-21",
        "2026-13-21T00:00Z",
        "12:00",
        "-5h3m",
        "1e9"
      })
  void what_is_no_moment_is_refused_with_what_would_be_one(String text) {
    assertThatThrownBy(() -> moments.parse("--to", text, "latest, "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--to '" + text + "' is not a time: give latest, 2026-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1700000000", "1", "99999999999"})
  void seconds_are_not_taken_for_milliseconds(String text) {
    assertThatThrownBy(() -> moments.parse("--start", text, ""))
        .hasMessageStartingWith("--start '" + text + "' is milliseconds since 1970, and so 19")
        .hasMessageEndingWith(" or " + text + "000");
  }

  @Test
  void a_local_time_that_came_twice_or_never_is_refused_with_what_to_give() {
    Moments berlin = new Moments(0, ZoneId.of("Europe/Berlin"));
    assertThatThrownBy(() -> berlin.parse("--to", "2026-10-25T02:30", ""))
        .hasMessage(
            "--to '2026-10-25T02:30' came twice in Europe/Berlin, whose clocks were put back: give"
                + " 2026-10-25T02:30+02:00 or 2026-10-25T02:30+01:00");
    assertThatThrownBy(() -> berlin.parse("--to", "2026-03-29T02:30", ""))
        .hasMessageStartingWith("--to '2026-03-29T02:30' never came in Europe/Berlin");
    assertThat(berlin.parse("--to", "2026-10-25T03:00", "")).isEqualTo(1_792_893_600_000L);
  }

  @ParameterizedTest
  @CsvSource({
    "-15m, 3600000, 1 h ahead",
    "-15m, -3600000, 1 h behind",
    "+1h, 8000, 7.0 s ahead",
    "-15m, 6000,",
    "-15m, -5000,",
    "earliest, 3600000,",
    "2026-11-21T00:00:00Z, 3600000,",
    ", 3600000,"
  })
  void a_clock_that_differs_from_the_server_s_is_named_where_it_was_counted_from(
      String text, long serverMs, String difference) {
    Optional<String> remark = Moments.clockRemark("--start", text, serverMs, 0, 1_000);
    assertThat(remark.isPresent()).isEqualTo(difference != null);
    if (difference != null) {
      assertThat(remark.get())
          .startsWith("--start '" + text + "' was counted from the clock of this machine")
          .contains("the server's is ")
          .containsPattern(difference.endsWith("ahead") ? " ahead: " : " behind: ");
    }
  }

  @Test
  void before_1970_there_is_nothing() {
    assertThatThrownBy(() -> moments.parse("--to", "-365d", ""))
        .hasMessage("--to '-365d' is before 1970");
  }

  @Test
  void the_ends_of_a_stream_have_names() {
    assertThat(Moments.edge("Earliest")).contains(StreamStart.EARLIEST);
    assertThat(Moments.edge("LATEST")).contains(StreamStart.LATEST);
    assertThat(Moments.edge("-15m")).isEmpty();
  }
}
