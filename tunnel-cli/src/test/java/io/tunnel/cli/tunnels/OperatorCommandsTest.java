package io.tunnel.cli.tunnels;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.SessionInfo;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands by which operators control tunnels, and the options of tables. */
class OperatorCommandsTest extends AuditTunnelTest {

  private static ChannelInfo channel(
      String id,
      ChannelType type,
      ChannelStatus status,
      boolean isPaused,
      Optional<String> error,
      List<String> waitsFor,
      Optional<Long> historyLeftMs) {
    ChannelInfo.Builder channel =
        ChannelInfo.builder(id, 1, type)
            .status(status)
            .epoch(3)
            .checkpointed(1)
            .delivered(2)
            .committed(3)
            .lagRows(2)
            .lagBytes(100)
            .rpoInMillis(9)
            .paused(isPaused)
            .waitsFor(waitsFor);
    if (type == ChannelType.BaseData) {
      channel.end(1_234);
    }
    error.ifPresent(channel::error);
    historyLeftMs.ifPresent(channel::historyLeftMs);
    return channel.build();
  }

  @Test
  void a_tunnel_of_rows_and_changes_is_created() {
    assertThat(runLine("tunnels create --table orders --tunnel copy --type baseandstream"))
        .isZero();
    assertThat(outLines())
        .containsExactly("tunnel copy of table orders created, BaseAndStream, id id-copy");
    assertThat(service.tunnels.get("orders/copy").getTunnelInfo().getTunnelType())
        .isEqualTo(TunnelType.BaseAndStream);
    assertThat(runLine("tunnels list")).isZero();
    assertThat(outLines().get(2)).startsWith("orders  copy    BaseAndStream  -       -    2023");
  }

  @Test
  void a_stream_is_created_between_two_moments() {
    assertThat(
            runLine(
                "tunnels create --table orders --tunnel day --start 2026-11-20T00:00:00Z"
                    + " --end 1795219200000"))
        .isZero();
    assertThat(outLines())
        .containsExactly(
            "tunnel day of table orders created, Stream from 2026-11-20T00:00:00Z until"
                + " 2026-11-21T00:00:00Z, id id-day");
    assertThat(service.tunnels.get("orders/day").getTunnelInfo().getStreamTunnelConfig())
        .isEqualTo(StreamTunnelConfig.fromTime(1_795_132_800_000L).withEnd(1_795_219_200_000L));
  }

  @Test
  void a_moment_may_be_so_long_ago() {
    long before = System.currentTimeMillis() - 900_000;
    assertThat(err.toString()).isEmpty();
    assertThat(runLine("tunnels create --table orders --tunnel late --start -15m")).isZero();
    assertThat(err.toString())
        .startsWith("--start '-15m' was counted from the clock of this machine")
        .contains(" behind: give the moment itself");
    assertThat(
            service
                .tunnels
                .get("orders/late")
                .getTunnelInfo()
                .getStreamTunnelConfig()
                .startOffset()
                .get())
        .isBetween(before, System.currentTimeMillis() - 900_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "create --start 2000000000000 --end 1000000000000|--end '1000000000000' is not after --start '2000000000000'",
        "create --start soon|--start 'soon' is not a time: give earliest, latest, 2026-",
        "create --end latest|--end 'latest' is not a time: give 2026-",
        "create --type BaseData --end 9|--start and --end are for --type Stream: BaseData starts",
        "describe --count 2|--count is how often --watch shows it: give both",
        "describe --watch 1s --count 0|--count is at least 1, not 0",
        "seek --to soon|--to 'soon' is not a time: give earliest, latest, position:N, 2026-",
        "seek --to position:x|--to position:N has a number from 0 on, not 'x'",
        "seek --to position:5|a position is one of a single channel: name that with --channel ID",
        "seek --to position:5 --channel a,b|a position is one of a single channel",
        "seek --to latest --yes --dry-run|--yes and --dry-run contradict each other",
        "seek|Missing required option: '--to=TARGET'",
        "import|Missing required option: '--in=FILE'",
        "clone --to-tunnel audit|--to-tunnel is 'audit' itself: name another tunnel",
        "clone --to-tunnel 1x|tunnel name '1x' is not valid",
        "end-session|Missing required option: '--session=ID'"
      })
  void what_is_wrong_on_the_command_line_is_said_and_nothing_is_asked(String line, String message) {
    service.endpoints.clear();
    String[] words = line.split(" ", 2);
    String rest = words.length > 1 ? " " + words[1] : "";
    assertThat(runLine("tunnels " + words[0] + AUDIT + rest)).isEqualTo(2);
    assertThat(err.toString()).contains(message);
    assertThat(service.endpoints).isEmpty();
  }

  @Test
  void a_description_tells_what_keeps_channels_from_going_on() {
    service.describe(
        "orders",
        "audit",
        true,
        List.of(
            channel(
                "b1",
                ChannelType.BaseData,
                ChannelStatus.OPEN,
                true,
                Optional.empty(),
                List.of(),
                Optional.empty()),
            channel(
                "c1",
                ChannelType.Stream,
                ChannelStatus.WAIT,
                true,
                Optional.empty(),
                List.of("b1"),
                Optional.of(3_600_000L)),
            channel(
                "c2",
                ChannelType.Stream,
                ChannelStatus.WAIT,
                false,
                Optional.of("no such\nuser"),
                List.of(),
                Optional.of(0L))),
        List.of(
            new SessionInfo("s1", "worker-a", 1, 0, 9_000),
            new SessionInfo("s2", "worker-b", 0, 4, 100)));

    assertThat(runLine("tunnels describe" + AUDIT)).isZero();

    assertThat(outLines())
        .containsExactly(
            "tunnel audit of table orders: Stream from LATEST, id id-audit, created"
                + " 2023-11-14T22:13:20Z, ProcessBaseData, PAUSED",
            "",
            "CHANNEL  PARTITION  TYPE      STATE         OWNER  EPOCH  CHECKPOINTED  DELIVERED"
                + "  COMMITTED  LAG ROWS  LAG BYTES  LAG TIME    END  HISTORY LEFT",
            "b1               1  BaseData  OPEN PAUSED   -          3             1          2"
                + "          3         2      100 B      9 ms  1,234             -",
            "c1               1  Stream    WAIT PAUSED   -          3             1          2"
                + "          3         2      100 B      9 ms      -    1 h 00 min",
            "c2               1  Stream    WAIT STOPPED  -          3             1          2"
                + "          3         2      100 B      9 ms      -    any moment",
            "",
            "channel c2 is stopped: no such\\nuser ('tunnel tunnels resume' lets it go on)",
            "channel c1 waits for b1",
            "",
            "SESSION  WORKER    CHANNELS  AT MOST  LEASE LEFT",
            "s1       worker-a         1        -       9.0 s",
            "s2       worker-b         0        4      100 ms",
            "",
            "3 channels, 0 held by 0 sessions; behind by 6 rows, 300 B, 9 ms");
    assertThat(runLine("tunnels describe --json" + AUDIT)).isZero();
    JsonObject stopped = outJson().getAsJsonArray("channels").get(2).getAsJsonObject();
    assertThat(stopped.get("error").getAsString()).isEqualTo("no such\nuser");
    assertThat(stopped.get("historyLeftMs").getAsLong()).isZero();
    assertThat(outJson().get("isPaused").getAsBoolean()).isTrue();
    assertThat(outJson().getAsJsonArray("sessions").get(1).toString())
        .isEqualTo(
            "{\"sessionId\":\"s2\",\"clientTag\":\"worker-b\",\"channels\":0,"
                + "\"channelsMax\":4,\"leaseLeftMs\":100}");
  }

  @Test
  void a_tunnel_is_watched_as_often_as_asked() {
    int[] seen = {0};
    service.afterDescribe =
        () -> {
          seen[0]++;
          service.describe("orders", "audit", seen[0] == 1, List.of(), List.of());
        };
    assertThat(runLine("tunnels describe --watch 1ms --count 3" + AUDIT)).isZero();
    assertThat(outLines()).filteredOn(line -> line.startsWith("tunnel audit")).hasSize(3);
    assertThat(outLines()).filteredOn(line -> line.endsWith("PAUSED")).hasSize(1);
    assertThat(runLine("tunnels describe --json --watch 1ms --count 2" + AUDIT)).isZero();
    assertThat(outLines()).hasSize(2).allMatch(line -> line.startsWith("{\"tunnelId\""));
  }

  @Test
  void a_watch_ends_when_the_tunnel_is_gone() {
    service.afterDescribe = service.tunnels::clear;
    assertThat(runLine("tunnels describe --watch 1ms" + AUDIT)).isEqualTo(4);
    assertThat(errLines())
        .containsExactly("tunnel tunnels describe: table 'orders' has no tunnel 'audit'");
  }

  @Test
  void a_tunnel_or_some_channels_are_paused_and_resumed() {
    assertThat(runLine("tunnels pause" + AUDIT)).isZero();
    assertThat(outLines()).containsExactly("tunnel audit of table orders paused");
    assertThat(runLine("tunnels pause --channel c1,c2 --channel c3" + AUDIT)).isZero();
    assertThat(outLines())
        .containsExactly("channels c1, c2, c3 of tunnel audit of table orders paused");
    assertThat(runLine("tunnels resume --channel c1 --json" + AUDIT)).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"table\":\"orders\",\"tunnel\":\"audit\",\"resumed\":true,\"channels\":[\"c1\"]}");
    assertThat(service.orders)
        .containsExactly("pause audit []", "pause audit [c1, c2, c3]", "resume audit [c1]");
    assertThat(runLine("tunnels pause --table orders --tunnel none")).isEqualTo(4);
    assertThat(errLines())
        .containsExactly("tunnel tunnels pause: table 'orders' has no tunnel 'none'");
  }

  @Test
  void a_session_is_ended() {
    assertThat(runLine("tunnels end-session --session s-1" + AUDIT)).isZero();
    assertThat(outLines()).containsExactly("session s-1 of tunnel audit of table orders ended");
    assertThat(runLine("tunnels end-session --session s-2 --json" + AUDIT)).isZero();
    assertThat(outJson().get("ended").getAsString()).isEqualTo("s-2");
    assertThat(service.orders).containsExactly("end s-1 of audit", "end s-2 of audit");
  }

  @Test
  void sessions_of_bound_rows_are_listed_and_ended() {
    assertThat(runLine("tables sessions")).isZero();
    assertThat(outLines())
        .containsExactly(
            "session 3 of ada: 2 rows, lease 10.0 s, 7.0 s left",
            "session 17: 1 row, lease 1 min 00 s, ends now");
    assertThat(runLine("tables sessions --json")).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"sessions\":[{\"session\":3,\"principal\":\"ada\",\"leaseMs\":10000,"
                + "\"leftMs\":7000,\"rows\":2},{\"session\":17,\"principal\":\"\","
                + "\"leaseMs\":60000,\"leftMs\":0,\"rows\":1}]}");
    assertThat(runLine("tables sessions --end 17")).isZero();
    assertThat(outLines()).containsExactly("session 17 has ended, and its rows are deleted");
    assertThat(service.orders).containsExactly("end row session 17");
    assertThat(runLine("tables sessions --end 0")).isEqualTo(2);
  }

  @Test
  void only_what_is_named_of_a_tables_options_is_altered() {
    assertThat(runLine("tables alter --table orders --retention 7d --retention-bytes 10GiB"))
        .isZero();
    assertThat(outLines())
        .containsExactly("table orders altered: durability FSYNC, retention 7 d 00 h and 10.0 GiB");
    assertThat(runLine("tables alter --table orders --retention 0 --json")).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"table\":\"orders\",\"durability\":\"FSYNC\",\"retentionMs\":0,"
                + "\"retentionBytes\":10737418240,\"ttlMs\":0}");
    TableOptions options = service.tables.get("orders").meta().options();
    assertThat(options.retentionMs()).isZero();
    assertThat(options.retentionBytes()).isEqualTo(10L << 30);
    assertThat(runLine("tables describe --table orders")).isZero();
    assertThat(outLines().get(0)).contains("durability FSYNC, retention 10.0 GiB, created");
    assertThat(service.orders)
        .as("the server merges, so no other operator's change is undone")
        .containsExactly(
            "alter orders "
                + new OptionsChange()
                    .withRetention(Duration.ofDays(7))
                    .withRetentionBytes(10L << 30),
            "alter orders " + new OptionsChange().withRetention(Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " --retention forever", " --retention-bytes 10XB", " --retention -1"})
  void options_that_are_none_are_refused(String rest) {
    service.endpoints.clear();
    assertThat(runLine("tables alter --table orders" + rest)).isEqualTo(2);
    assertThat(err.toString()).contains("--retention");
    assertThat(service.endpoints).isEmpty();
  }
}
