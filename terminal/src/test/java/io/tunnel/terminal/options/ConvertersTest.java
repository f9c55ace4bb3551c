package io.tunnel.terminal.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.terminal.Prompt;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ConvertersTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "17, 17",
    "17b, 17",
    "2KiB, 2048",
    "3mib, 3145728",
    "10GiB, 10737418240",
    "1.5GiB, 1610612736",
    "256 KiB, 262144",
    "10MB, 10000000",
    "2.5kb, 2500",
    "9223372036854775807, 9223372036854775807",
    "8388607TiB, 9223370937343148032"
  })
  void sizes_are_read_with_their_units(String text, long bytes) {
    assertThat(new ByteCountConverter().convert(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-1", "1.0001KiB", "10G", "8388608TiB", "9223372036854775808", "many"})
  void what_is_no_size_is_refused(String text) {
    assertThatThrownBy(() -> new ByteCountConverter().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage("'" + text + "' is not a number of bytes such as 1000, 256KiB, 10MB or 1.5GiB");
  }

  @Test
  void times_reach_from_milliseconds_to_days() {
    assertThat(DurationConverter.orNone("7d")).isEqualTo(Duration.ofDays(7));
    assertThat(DurationConverter.orNone("1.5h")).isEqualTo(Duration.ofMinutes(90));
    assertThat(DurationConverter.orNone("0.5ms")).isEqualTo(Duration.ofNanos(500_000));
    assertThat(DurationConverter.orNone("999999999d")).isEqualTo(Duration.ofDays(999_999_999));
    assertThat(DurationConverter.orNone("0")).isZero();
    assertThatThrownBy(() -> new DurationConverter().convert("0"))
        .hasMessageContaining("no time at all");
  }

  @Test
  void a_number_alone_has_the_unit_that_the_name_of_its_option_says() throws Exception {
    assertThat(new DurationConverter().convert("2")).isEqualTo(Duration.ofSeconds(2));
    assertThat(new DurationConverter.OfMillis().convert("1500")).isEqualTo(Duration.ofMillis(1500));
    assertThat(new DurationConverter.OfMillis().convert("6s")).isEqualTo(Duration.ofSeconds(6));
    assertThat(new DurationConverter.OfMicros().convert("250"))
        .isEqualTo(Duration.ofNanos(250_000));
    assertThat(new DurationConverter.OfMicros().convert("2ms")).isEqualTo(Duration.ofMillis(2));
    assertThat(new DurationConverter.OfMicros().convert("0")).isZero();
    assertThat(new DurationConverter.OrNone().convert("0")).isZero();
    assertThatThrownBy(() -> new DurationConverter.OfMillis().convert("0"))
        .hasMessageContaining("no time at all");
    assertThatThrownBy(() -> new DurationConverter.OfMillis().convert("soon"))
        .hasMessage("'soon' is not a time such as 500ms, 30s, 5m, 1h or 7d");
  }

  @Test
  void a_time_that_no_clock_can_count_is_refused() throws Exception {
    assertThat(new DurationConverter().convert("36500d")).isEqualTo(Duration.ofDays(36_500));
    assertThat(new DurationConverter().convert("36500d").toNanos()).isPositive();
    for (DurationConverter converter :
        List.of(
            new DurationConverter(),
            new DurationConverter.OrNone(),
            new DurationConverter.OfMillis(),
            new DurationConverter.OfMicros())) {
      for (String text : List.of("36500.001d", "106752d", "999999999d", "999999999h")) {
        assertThatThrownBy(() -> converter.convert(text))
            .isInstanceOf(TypeConversionException.class)
            .hasMessage("'" + text + "' is too long; give 36500d at most");
      }
    }
  }

  @Test
  void only_yes_confirms() {
    for (String yes : new String[] {"y", "Y", " yes "}) {
      Prompt prompt = question -> Optional.of(yes);
      assertThat(prompt.confirms("?")).isTrue();
    }
    for (String no : new String[] {"", "n", "yess"}) {
      Prompt prompt = question -> Optional.of(no);
      assertThat(prompt.confirms("?")).isFalse();
    }
    Prompt nobody = question -> Optional.empty();
    assertThat(nobody.confirms("?")).isFalse();
  }
}
