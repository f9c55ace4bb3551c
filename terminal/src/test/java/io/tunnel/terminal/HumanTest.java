package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"0|0", "999|999", "1000|1,000", "1234567|1,234,567", "-1234|-1,234"})
  void counts_are_grouped(long count, String text) {
    assertThat(Human.count(count)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|0",
        "999|999",
        "1000|1.00 k",
        "1234|1.23 k",
        "12345|12.3 k",
        "999400|999 k",
        "999600|1.00 M",
        "45600000|45.6 M",
        "-1234|-1.23 k",
        "0.4|0"
      })
  void short_counts_have_three_digits(double count, String text) {
    assertThat(Human.shortCount(count)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|0 B",
        "1023|1023 B",
        "1024|1.00 KiB",
        "1572864|1.50 MiB",
        "10737418240|10.0 GiB",
        "9223372036854775807|8.00 EiB"
      })
  void bytes_are_counted_in_powers_of_1024(long bytes, String text) {
    assertThat(Human.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0|0 ms",
        "999|999 ms",
        "1000|1.0 s",
        "59949|59.9 s",
        "59950|1 min 00 s",
        "185000|3 min 05 s",
        "3599499|59 min 59 s",
        "3600000|1 h 00 min",
        "90061000|1 d 01 h",
        "-1500|-1.5 s"
      })
  void durations_have_two_units(long ms, String text) {
    assertThat(Human.duration(ms)).isEqualTo(text);
  }

  @Test
  void the_locale_changes_nothing() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      assertThat(Human.count(1_234_567)).isEqualTo("1,234,567");
      assertThat(Human.duration(1_500)).isEqualTo("1.5 s");
    } finally {
      Locale.setDefault(before);
    }
  }
}
