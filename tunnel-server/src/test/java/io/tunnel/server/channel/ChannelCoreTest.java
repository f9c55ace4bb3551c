package io.tunnel.server.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class ChannelCoreTest {

  private final ChannelCore core = new ChannelCore(10, 500);

  @Test
  void credit_of_many_small_steps_does_not_overflow() {
    for (int i = 0; i < 5; i++) {
      core.credit(Integer.MAX_VALUE);
    }
    assertThat(core.credit()).isEqualTo(5L * Integer.MAX_VALUE);
    assertThat(core.bytesMax()).isEqualTo(500);
    assertThat(core.wants(11)).isTrue();
  }

  @Test
  void what_a_delivery_took_too_much_is_the_next_credits_to_fill_up() {
    core.credit(1);
    core.delivered(20, 300);
    core.credit(299);
    assertThat(core.wants(30)).isFalse();
    core.credit(1);
    assertThat(core.wants(30)).isTrue();
    assertThat(core.bytesMax()).isEqualTo(1);
  }

  @Test
  void positions_must_rise() {
    core.credit(1);
    assertThatThrownBy(() -> core.delivered(10, 5))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delivered 10 and now 10");
  }

  @Test
  void nothing_is_wanted_of_what_was_delivered_or_after_a_stop() {
    core.credit(1);
    assertThat(core.wants(10)).isFalse();
    assertThat(core.nextPosition()).isEqualTo(11);
    core.stop();
    assertThat(core.wants(11)).isFalse();
    assertThat(core.isStopped()).isTrue();
  }

  @Test
  void nothing_is_wanted_behind_the_end_and_the_end_is_taken_once() {
    core.credit(1_000);
    core.endAt(20);
    assertThat(core.wants(100)).isTrue();
    assertThat(core.takeEnd()).isFalse();
    core.delivered(20, 5);
    assertThat(core.wants(100)).isFalse();
    assertThat(core.takeEnd()).isTrue();
    assertThat(core.takeEnd()).isFalse();
  }

  @Test
  void the_end_may_be_where_the_channel_starts_or_has_come_to_and_may_be_said_twice() {
    core.endAt(10);
    core.endAt(10);
    assertThat(core.takeEnd()).as("needs no credit").isTrue();
    core.endAt(10);
    assertThat(core.takeEnd()).isFalse();
  }

  @Test
  void a_stopped_channel_tells_no_end() {
    core.endAt(10);
    core.stop();
    assertThat(core.takeEnd()).isFalse();
  }

  @Test
  void an_end_that_is_found_in_front_of_what_was_delivered_is_told_and_nothing_follows() {
    core.endAt(9);
    core.credit(100);
    assertThat(core.wants(20)).isFalse();
    assertThat(core.takeEnd()).isTrue();
    assertThat(core.end()).isEqualTo(9);
  }

  @Test
  void an_end_that_moves_is_a_broken_invariant() {
    core.endAt(15);
    assertThatThrownBy(() -> core.endAt(16))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ends at 15 cannot end at 16");
    core.credit(1);
    assertThatThrownBy(() -> core.delivered(16, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("delivered 16 of a channel that ends at 15");
  }
}
