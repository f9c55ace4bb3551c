package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.LogBounds;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StreamBoundsTest {

  private static final ChannelKey CHANNEL = new ChannelKey(7, ChannelType.Stream);

  /** Positions 32 to 40 are kept. */
  private final StreamBounds bounds =
      new StreamBounds(Optional.empty(), Map.of(7, look(Optional.empty(), Map.of())), 1_000_000);

  private static LogBounds.Look look(
      Optional<Long> givenUpMicros, Map<Long, LogBounds.Moment> moments) {
    return new LogBounds.Look(new Bounds(32, 40), 0, givenUpMicros, moments, Optional.empty());
  }

  /** By what is known of the changes before 32, the position in front of 32 for a moment. */
  private static long before(Optional<Long> givenUpMicros, long timeMs) {
    LogBounds.Moment oldest = new LogBounds.Moment(31, true);
    Map<Integer, LogBounds.Look> looks =
        Map.of(7, look(givenUpMicros, Map.of(timeMs * 1_000, oldest)));
    return new StreamBounds(Optional.empty(), looks, 1_000_000).before(CHANNEL, timeMs);
  }

  private static ChannelState endingAt(long end) {
    return ChannelState.startingAt(1).withEnd(Optional.of(end), false);
  }

  @Test
  void a_channel_of_which_nothing_is_kept_can_only_go_to_its_end() {
    ChannelState ended = endingAt(27);
    assertThat(bounds.earliest(CHANNEL, ended)).isEqualTo(27);
    assertThat(bounds.require(CHANNEL, ended, 27)).isEqualTo(27);
    assertThatThrownBy(() -> bounds.require(CHANNEL, ended, 26))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("changes 27 to 27 are no longer kept")
        .hasMessageContaining("positions 27 to 27");
    assertThatThrownBy(() -> bounds.require(CHANNEL, ended, 31))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no position 31");
  }

  @Test
  void a_moment_behind_all_that_was_given_up_is_in_front_of_what_is_kept() {
    assertThat(before(Optional.of(499_999L), 500)).isEqualTo(31);
    assertThatThrownBy(() -> before(Optional.of(500_000L), 500))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("changes 1 to 31 of partition 7 are no longer kept")
        .hasMessageContaining("at 500 or later, but none after 500");
    assertThatThrownBy(() -> before(Optional.empty(), 500))
        .as("where nobody knows")
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("at 500 or later");
  }

  @Test
  void a_channel_of_which_some_is_kept_begins_in_front_of_that() {
    assertThat(bounds.earliest(CHANNEL, endingAt(35))).isEqualTo(31);
    assertThat(bounds.earliest(CHANNEL, ChannelState.startingAt(1))).isEqualTo(31);
  }
}
