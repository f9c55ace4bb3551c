package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.tunnel.ChannelKey;
import io.tunnel.server.catalog.tunnel.ChannelState;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.changes.LogBounds;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StreamBoundsTest {

  private static final ChannelKey CHANNEL = new ChannelKey(7, ChannelType.Stream);

  /** Positions 32 to 40 are kept. */
  private final StreamBounds bounds =
      new StreamBounds(
          Optional.empty(),
          Map.of(7, new LogBounds.Look(new Bounds(32, 40), 0, Map.of(), Optional.empty())),
          1_000_000);

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
  void a_channel_of_which_some_is_kept_begins_in_front_of_that() {
    assertThat(bounds.earliest(CHANNEL, endingAt(35))).isEqualTo(31);
    assertThat(bounds.earliest(CHANNEL, ChannelState.startingAt(1))).isEqualTo(31);
  }
}
