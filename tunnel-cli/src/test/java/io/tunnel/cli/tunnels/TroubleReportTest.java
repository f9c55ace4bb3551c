package io.tunnel.cli.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.processor.FailedChange;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.RetryInfo;
import io.tunnel.sdk.tunnel.SkippedChange;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TroubleReportTest {

  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", "a\nb").build();
  private static final Optional<FailedChange> AT = Optional.of(new FailedChange(3, 7, KEY, 1));

  private static ChannelInfo channel(
      Optional<String> error, Optional<FailedChange> failedAt, Optional<RetryInfo> retry) {
    ChannelInfo.Builder channel =
        ChannelInfo.builder("c", 3, ChannelType.Stream)
            .status(ChannelStatus.OPEN)
            .epoch(1)
            .checkpointed(6)
            .delivered(9)
            .committed(9)
            .lagRows(3)
            .lagBytes(300)
            .rpoInMillis(5);
    error.ifPresent(channel::error);
    failedAt.ifPresent(channel::failedAt);
    retry.ifPresent(channel::retry);
    return channel.build();
  }

  @Test
  void a_stopped_channel_says_at_which_change_it_is() {
    ChannelInfo channel = channel(Optional.of("odd"), AT, Optional.empty());
    assertThat(TroubleReport.state(channel)).isEqualTo(" STOPPED");
    assertThat(TroubleReport.lines(List.of(channel)))
        .containsExactly(
            "channel c is stopped at position 7 of partition 3, key (id=a\\nb): odd"
                + " ('tunnel tunnels resume' lets it go on)");
  }

  @Test
  void a_channel_that_lost_history_is_moved_before_it_is_resumed() {
    ChannelInfo channel =
        channel(
            Optional.of("HISTORY_LOST: changes 1 to 9 of partition 3 are no longer kept"),
            Optional.empty(),
            Optional.empty());
    assertThat(TroubleReport.lines(List.of(channel)).get(0))
        .contains("'tunnel tunnels seek --to earliest --channel c' moves it")
        .contains("then 'tunnel tunnels resume' lets it go on; a resume alone fails again");
  }

  @Test
  void a_retried_channel_says_how_often_since_when_and_when_next() {
    RetryInfo retry =
        new RetryInfo(Optional.of(new FailedChange(3, 7, KEY, 20)), 4, 65_000, 12_000, "away");
    ChannelInfo channel = channel(Optional.empty(), Optional.empty(), Optional.of(retry));
    assertThat(TroubleReport.state(channel)).isEqualTo(" RETRYING");
    assertThat(TroubleReport.lines(List.of(channel)).get(0))
        .startsWith(
            "channel c is retried at one of 20 changes from position 7 of partition 3, key"
                + " (id=a\\nb): attempt 4 failed, the first ")
        .endsWith(": away");
    JsonObject json = new JsonObject();
    TroubleReport.add(json, channel);
    assertThat(json.get("retry").getAsJsonObject().get("nextInMs").getAsLong()).isEqualTo(12_000);
    assertThat(json.get("failedAt").getAsJsonObject().get("position").getAsLong()).isEqualTo(7);
  }

  @Test
  void ten_skipped_changes_are_shown_to_people_and_all_to_programs() {
    TunnelInfo info =
        new TunnelInfo("t-1", "audit", "orders", TunnelType.Stream, StreamTunnelConfig.EARLIEST, 1);
    List<SkippedChange> skipped =
        LongStream.rangeClosed(1, 12)
            .mapToObj(at -> new SkippedChange(3, ChannelType.Stream, at, KEY, "odd", 0))
            .toList();
    DescribeTunnelResponse tunnel =
        new DescribeTunnelResponse(info, List.of(), false, List.of(), 1_234, skipped);
    List<String> lines = TroubleReport.skipped(tunnel);
    assertThat(lines.get(0))
        .isEqualTo("1,234 changes were left out by workers, of which the last 10:");
    assertThat(lines).hasSize(12);
    assertThat(lines.get(2)).contains("Stream").contains("(id=a\\nb)").contains("odd");
    JsonObject json = new JsonObject();
    TroubleReport.add(json, tunnel);
    assertThat(json.get("skippedCount").getAsLong()).isEqualTo(1_234);
    assertThat(json.get("skipped").getAsJsonArray()).hasSize(12);
    assertThat(TroubleReport.skipped(new DescribeTunnelResponse(info, List.of(), false, List.of())))
        .isEmpty();
  }
}
