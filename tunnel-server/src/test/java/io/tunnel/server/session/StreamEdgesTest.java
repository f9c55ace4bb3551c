package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StreamEdgesTest {

  private static final ChannelKey CHANNEL = new ChannelKey(7, ChannelType.Stream);

  /** Positions 32 to 40 are kept. */
  private final StreamEdges edges =
      new StreamEdges(
          Optional.empty(), Map.of(7, new LogEdges.Edge(32, 40, 0, Map.of())), 1_000_000);

  private static ChannelState endingAt(long end) {
    return ChannelState.startingAt(1).withEnd(Optional.of(end), false);
  }

  @Test
  void a_channel_of_which_nothing_is_kept_can_only_go_to_its_end() {
    ChannelState ended = endingAt(27);
    assertThat(edges.earliest(CHANNEL, ended)).isEqualTo(27);
    assertThat(edges.require(CHANNEL, ended, 27)).isEqualTo(27);
    assertThatThrownBy(() -> edges.require(CHANNEL, ended, 26))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("changes 27 to 27 are no longer kept")
        .hasMessageContaining("positions 27 to 27");
    assertThatThrownBy(() -> edges.require(CHANNEL, ended, 31))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no position 31");
  }

  @Test
  void a_channel_of_which_some_is_kept_begins_in_front_of_that() {
    assertThat(edges.earliest(CHANNEL, endingAt(35))).isEqualTo(31);
    assertThat(edges.earliest(CHANNEL, ChannelState.startingAt(1))).isEqualTo(31);
  }
}
