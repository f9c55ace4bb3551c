package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BarTest {

  @Test
  void the_length_follows_the_value() {
    assertThat(Bar.of(5, 10, 20)).isEqualTo("#".repeat(10));
    assertThat(Bar.onTrack(5, 10, 8)).isEqualTo("####....");
  }

  @Test
  void little_is_one_character_and_nothing_is_none() {
    assertThat(Bar.of(1, 1_000_000, 20)).isEqualTo("#");
    assertThat(Bar.of(0, 1_000_000, 20)).isEmpty();
  }

  @Test
  void too_much_is_full_and_nonsense_is_empty() {
    assertThat(Bar.of(11, 10, 5)).isEqualTo("#####");
    assertThat(Bar.of(1, 0, 5)).isEmpty();
    assertThat(Bar.of(Long.MAX_VALUE, Long.MAX_VALUE, 5)).isEqualTo("#####");
    assertThat(Bar.of(-1, 1, 5)).isEmpty();
  }
}
