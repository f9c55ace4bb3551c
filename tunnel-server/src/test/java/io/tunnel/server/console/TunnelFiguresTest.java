package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the console says of tunnels whose channels are known in part. */
final class TunnelFiguresTest {

  private static ChannelDescription channel(long lagRows, Optional<Long> historyLeftMs) {
    return channel(ChannelType.Stream, lagRows, historyLeftMs);
  }

  private static ChannelDescription channel(
      ChannelType type, long lagRows, Optional<Long> historyLeftMs) {
    return new ChannelDescription(
        "c",
        1,
        ChannelStatus.OPEN,
        Optional.empty(),
        Optional.empty(),
        1,
        0,
        0,
        0,
        lagRows,
        LogFigures.UNKNOWN,
        LogFigures.UNKNOWN,
        type,
        false,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        historyLeftMs,
        Optional.empty(),
        Optional.empty());
  }

  private static TunnelFigures figures(ChannelDescription... channels) {
    return TunnelFigures.of(
        new TunnelDescription(
            new TunnelInfo("id", "n", "t", TunnelType.Stream, StreamStart.EARLIEST, 1),
            List.of(channels)));
  }

  @Test
  void the_changes_of_a_tunnel_are_unknown_when_those_of_a_channel_are() {
    TunnelFigures known = figures(channel(3, Optional.empty()), channel(4, Optional.empty()));
    assertThat(known.lagChanges()).isEqualTo(7);
    TunnelFigures half =
        figures(channel(3, Optional.empty()), channel(LogFigures.UNKNOWN, Optional.empty()));
    assertThat(half.lagChanges()).isEqualTo(LogFigures.UNKNOWN);
    assertThat(TunnelFigures.of(half.toLag())).isEqualTo(half);
  }

  @Test
  void base_channels_have_rows_and_count_no_changes() {
    ChannelDescription stream = channel(3, Optional.empty());
    ChannelDescription base = channel(ChannelType.BaseData, 5, Optional.empty());
    ChannelDescription unknown =
        channel(ChannelType.BaseData, LogFigures.UNKNOWN, Optional.empty());
    assertThat(figures(stream, base).lagChanges()).isEqualTo(3);
    assertThat(figures(stream, unknown).lagChanges()).isEqualTo(3);
    assertThat(figures(stream, unknown).channels()).isEqualTo(2);
    assertThat(figures(base).lagChanges()).isZero();
  }

  @Test
  void a_channel_that_lost_changes_is_counted_once_also_when_its_lag_is_unknown() {
    TunnelFigures lost =
        figures(channel(LogFigures.UNKNOWN, Optional.of(-1L)), channel(0, Optional.of(60_000L)));
    assertThat(lost.lost()).isEqualTo(1);
    assertThat(lost.historyLeftSeconds()).isZero();
  }
}
