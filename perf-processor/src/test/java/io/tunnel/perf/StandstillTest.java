package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StandstillTest {

  private static final TunnelInfo TUNNEL =
      new TunnelInfo("id", "x", "t", TunnelType.Stream, StreamTunnelConfig.LATEST, 0);

  private static ChannelInfo channel(ChannelStatus status, boolean isPaused, String error) {
    ChannelInfo.Builder channel =
        ChannelInfo.builder("c1", 1, ChannelType.Stream)
            .status(status)
            .epoch(3)
            .checkpointed(1)
            .delivered(2)
            .committed(3)
            .lagRows(2)
            .lagBytes(100)
            .rpoInMillis(9)
            .paused(isPaused);
    Optional.ofNullable(error).ifPresent(channel::error);
    return channel.build();
  }

  private static Optional<String> sentence(boolean isPaused, ChannelInfo... channels) {
    return Standstill.of(new DescribeTunnelResponse(TUNNEL, List.of(channels), isPaused, List.of()))
        .map(Standstill::sentence);
  }

  @Test
  void what_can_go_on_is_no_standstill() {
    assertThat(sentence(false)).isEmpty();
    assertThat(sentence(false, channel(ChannelStatus.WAIT, false, null))).isEmpty();
    assertThat(
            sentence(
                false,
                channel(ChannelStatus.TERMINATED, false, null),
                channel(ChannelStatus.OPEN, false, null)))
        .isEmpty();
  }

  @Test
  void a_pause_an_error_and_the_end_are_told_apart() {
    ChannelInfo open = channel(ChannelStatus.OPEN, false, null);
    ChannelInfo paused = channel(ChannelStatus.WAIT, true, null);
    ChannelInfo stopped = channel(ChannelStatus.WAIT, false, "no such user");
    ChannelInfo ended = channel(ChannelStatus.TERMINATED, false, null);
    assertThat(sentence(true, paused))
        .hasValueSatisfying(
            text ->
                assertThat(text).startsWith("tunnel 'x' of table 't' is paused: 'tunnel tunnels"));
    assertThat(sentence(false, open, paused))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("1 of 2 channels of tunnel 'x' of table 't' is paused"));
    assertThat(sentence(false, open, stopped, paused))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("1 of 3 channels of tunnel 'x' of table 't' is stopped by an error")
                    .endsWith("Of c1 it is: no such user"));
    ChannelInfo lost =
        channel(ChannelStatus.WAIT, false, "HISTORY_LOST: changes 1 to 9 of partition 1");
    assertThat(sentence(false, open, lost))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .contains(
                        "'tunnel tunnels seek --to earliest --table t --tunnel x' moves them to"
                            + " what is kept, then 'tunnel tunnels resume --table t --tunnel x'"
                            + " lets them go on"));
    assertThat(sentence(false, ended, ended))
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("tunnel 'x' of table 't' has ended"));
  }
}
