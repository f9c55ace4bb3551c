package io.tunnel.cli.tunnels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.model.Bytes;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.PrimaryKeyType;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.ChannelInfo;
import io.tunnel.sdk.SessionInfo;
import io.tunnel.sdk.StreamTunnelConfig;
import io.tunnel.wire.Control.ChannelDescription;
import io.tunnel.wire.OperatorControl.ChannelPosition;
import io.tunnel.wire.OperatorControl.Move;
import io.tunnel.wire.OperatorControl.Seek;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands by which operators control tunnels, and the options of tables. */
class OperatorCommandsTest extends CommandLineTest {

  private static final String AUDIT = " --table orders --tunnel audit";

  @TempDir Path directory;

  @BeforeEach
  void a_table_with_a_tunnel() {
    service.createTable(
        new TableMeta("orders", List.of(new PrimaryKeySchema("k", PrimaryKeyType.STRING))));
    assertThat(runLine("tunnels create" + AUDIT)).isZero();
    service.moves =
        List.of(
            new Move("c1", 1, ChannelType.Stream, 5_000, 3_800),
            new Move("c2", 2, ChannelType.Stream, 10, 12),
            new Move("c3", 3, ChannelType.Stream, 7, 7),
            new Move("b1", 1, ChannelType.BaseData, 9, 8));
    service.positions =
        List.of(
            new ChannelPosition(1, ChannelType.BaseData, 9, Bytes.fromHex("0a0b"), true),
            new ChannelPosition(1, ChannelType.Stream, 5_000, Bytes.EMPTY, false));
  }

  private JsonObject outJson() {
    return JsonParser.parseString(out.toString()).getAsJsonObject();
  }

  private static ChannelInfo channel(
      String id,
      ChannelType type,
      ChannelStatus status,
      boolean isPaused,
      Optional<String> error,
      List<String> waitsFor,
      Optional<Long> historyLeftMs) {
    return new ChannelInfo(
        new ChannelDescription(
            id,
            1,
            status,
            Optional.empty(),
            Optional.empty(),
            3,
            1,
            2,
            3,
            2,
            100,
            9,
            type,
            isPaused,
            type == ChannelType.BaseData ? Optional.of(1_234L) : Optional.empty(),
            error,
            waitsFor,
            historyLeftMs,
            Optional.empty(),
            Optional.empty()));
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
    assertThat(runLine("tunnels create --table orders --tunnel late --start -15m")).isZero();
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
        "create --start 2000 --end 1000|--end '1000' is not after --start '2000'",
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
                Optional.of(-1L))),
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
                + "          3         2      100 B      9 ms      -          LOST",
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
    assertThat(stopped.get("historyLeftMs").getAsLong()).isEqualTo(-1);
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
    assertThat(runLine("tunnels describe --watch 1ms" + AUDIT)).isEqualTo(1);
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
    assertThat(runLine("tunnels pause --table orders --tunnel none")).isEqualTo(1);
    assertThat(errLines())
        .containsExactly("tunnel tunnels pause: table 'orders' has no tunnel 'none'");
  }

  @Test
  void a_seek_that_nobody_confirms_shows_what_it_would_do_and_does_nothing() {
    assertThat(runLine("tunnels seek --to earliest" + AUDIT)).isEqualTo(2);
    assertThat(outLines())
        .containsExactly(
            "CHANNEL  PARTITION  TYPE       FROM     TO  AGAIN  SKIPPED",
            "c1               1  Stream    5,000  3,800  1,200        0",
            "c2               2  Stream       10     12      0        2",
            "c3               3  Stream        7      7      0        0",
            "b1               1  BaseData      9      8      1        0",
            "",
            "3 of 4 channels would move: 1,200 changes delivered again, 1 row delivered again,"
                + " 2 changes skipped");
    assertThat(err.toString()).contains("nothing was moved: add --yes to do it");
    assertThat(service.seeks).extracting(Seek::isDryRun).containsExactly(true);
    assertThat(service.seeks.get(0).edge()).contains(StreamStart.EARLIEST);
  }

  @Test
  void a_seek_is_done_at_once_with_yes() {
    assertThat(runLine("tunnels seek --to latest --channel c1,c2 --yes" + AUDIT)).isZero();
    assertThat(outLines().get(6)).startsWith("3 of 4 channels moved: 1,200 changes delivered");
    assertThat(service.seeks)
        .singleElement()
        .satisfies(
            seek -> {
              assertThat(seek.isDryRun()).isFalse();
              assertThat(seek.edge()).contains(StreamStart.LATEST);
              assertThat(seek.channels()).containsExactly("c1", "c2");
            });
    assertThat(service.questions).isEmpty();
  }

  @Test
  void a_person_at_the_terminal_is_asked() {
    service.answer = Optional.of("n");
    assertThat(runLine("tunnels seek --to 1000" + AUDIT)).isEqualTo(2);
    assertThat(service.questions).containsExactly("Do it? [y/N] ");
    service.answer = Optional.of(" Yes");
    assertThat(runLine("tunnels seek --to 1000" + AUDIT)).isZero();
    assertThat(service.seeks).extracting(Seek::isDryRun).containsExactly(true, true, false);
    assertThat(service.seeks.get(2).timeMs()).contains(1_000L);
  }

  @Test
  void a_program_is_never_asked() {
    service.answer = Optional.of("y");
    assertThat(runLine("tunnels seek --to position:17 --channel c1 --json" + AUDIT)).isEqualTo(2);
    assertThat(service.questions).isEmpty();
    assertThat(outJson().get("moved").getAsBoolean()).isFalse();
    assertThat(runLine("tunnels seek --to position:17 --channel c1 --json --yes" + AUDIT)).isZero();
    assertThat(outJson().get("moved").getAsBoolean()).isTrue();
    assertThat(outJson().get("changesAgain").getAsLong()).isEqualTo(1_200);
    assertThat(outJson().get("changesSkipped").getAsLong()).isEqualTo(2);
    assertThat(outJson().get("rowsAgain").getAsLong()).isEqualTo(1);
    assertThat(outJson().getAsJsonArray("moves").get(0).toString())
        .isEqualTo(
            "{\"channelId\":\"c1\",\"partition\":1,\"type\":\"Stream\",\"from\":5000,\"to\":3800}");
    assertThat(service.seeks.get(1).position()).contains(17L);
  }

  @Test
  void a_dry_run_is_done_when_it_is_shown() {
    assertThat(runLine("tunnels seek --to earliest --dry-run" + AUDIT)).isZero();
    assertThat(service.seeks).extracting(Seek::isDryRun).containsExactly(true);
  }

  @Test
  void a_seek_that_the_server_refuses_is_a_failed_job() {
    service.seekRefusal = Optional.of(ErrorCode.HISTORY_LOST);
    assertThat(runLine("tunnels seek --to earliest --yes" + AUDIT)).isEqualTo(1);
    assertThat(errLines()).containsExactly("tunnel tunnels seek: the seek is refused");
  }

  @Test
  void progress_is_exported_to_a_file_and_imported_from_it() throws IOException {
    Path file = directory.resolve("audit.json");
    assertThat(runLine("tunnels export" + AUDIT + " --out " + file)).isZero();
    assertThat(outLines())
        .containsExactly(
            "progress of tunnel audit of table orders exported to " + file + ": 2 channels");
    assertThat(runLine("tunnels import --yes" + AUDIT + " --in " + file)).isZero();
    assertThat(service.seeks.get(0).checkpoints().get().channels()).isEqualTo(service.positions);
    assertThat(runLine("tunnels import" + AUDIT + " --in " + file)).isEqualTo(2);
    assertThat(service.seeks).extracting(Seek::isDryRun).containsExactly(false, true);

    assertThat(runLine("tunnels export" + AUDIT + " --out " + file)).isEqualTo(74);
    assertThat(err.toString()).contains("exists already");
    assertThat(runLine("tunnels export" + AUDIT)).isZero();
    assertThat(out.toString())
        .matches(
            "\\{\"format\":\"tunnel-checkpoints\",\"version\":1,\"exportedMs\":\\d+,\"checkpoints\":"
                + "\\{\"tableId\":1,\"table\":\"orders\",\"tunnel\":\"audit\",\"channels\":\\[.*]}}\\R");
    assertThat(Files.readString(file)).endsWith("}}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|it is empty",
        "no json|",
        "{}|lacks a valid format",
        "{\"format\":\"x\"}|its format is 'x', not 'tunnel-checkpoints'",
        "{\"format\":\"tunnel-checkpoints\",\"version\":2}|its version is 2, and this program reads 1",
        "{\"format\":\"tunnel-checkpoints\",\"version\":1}|lacks a valid checkpoints",
        "{\"format\":\"tunnel-checkpoints\",\"version\":1,\"checkpoints\":{\"table\":\"t\",\"tunnel\":\"u\","
            + "\"channels\":[{\"partition\":1,\"type\":\"Stream\",\"position\":-4}]}}"
            + "|a position is at least 0, not -4",
        "{\"format\":\"tunnel-checkpoints\",\"version\":1,\"checkpoints\":{\"table\":\"t\",\"tunnel\":\"u\","
            + "\"channels\":[{\"partition\":1,\"type\":\"Stream\"},{\"partition\":1,\"type\":\"Stream\"}]}}"
            + "|it has the Stream channel of partition 1 twice",
        "{\"format\":\"tunnel-checkpoints\",\"version\":1,\"checkpoints\":{\"table\":\"t\",\"tunnel\":\"u\","
            + "\"channels\":[{\"partition\":1,\"type\":\"Wrong\"}]}}|lacks a valid type"
      })
  void a_file_that_is_no_export_is_refused_with_what_is_wrong(String text, String message)
      throws IOException {
    Path file = Files.writeString(directory.resolve("f.json"), text);
    assertThat(runLine("tunnels import --yes" + AUDIT + " --in " + file)).isEqualTo(1);
    assertThat(err.toString())
        .contains("'" + file + "' was not written by 'tunnel tunnels export': ")
        .contains(message == null ? "" : message);
    assertThat(service.seeks).isEmpty();
  }

  @Test
  void a_file_that_is_too_large_missing_or_a_directory_is_refused() throws IOException {
    Path file =
        Files.write(directory.resolve("f"), new byte[(int) CheckpointFile.FILE_BYTES_MAX + 1]);
    assertThat(runLine("tunnels import" + AUDIT + " --in " + file)).isEqualTo(74);
    assertThat(err.toString()).contains("has over 16777216 bytes");
    assertThat(runLine("tunnels import" + AUDIT + " --in " + directory)).isEqualTo(74);
    assertThat(err.toString()).contains("is a directory, not a file");
    assertThat(runLine("tunnels import" + AUDIT + " --in " + file + "x")).isEqualTo(74);
    assertThat(err.toString()).contains("there is no file");
  }

  @Test
  void a_dash_is_standard_output_and_standard_input() {
    assertThat(runLine("tunnels export --out -" + AUDIT)).isZero();
    String exported = out.toString();
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(exported.getBytes(UTF_8)));
    try {
      assertThat(runLine("tunnels import --yes --in -" + AUDIT)).isZero();
    } finally {
      System.setIn(before);
    }
    assertThat(service.seeks).hasSize(1);
    assertThat(runLine("tunnels import --in -" + AUDIT)).isEqualTo(2);
    assertThat(err.toString()).contains("nobody can be asked: add --yes or --dry-run");
  }

  @Test
  void progress_is_cloned_to_a_tunnel_that_is_there() {
    assertThat(runLine("tunnels create --table orders --tunnel other")).isZero();
    assertThat(runLine("tunnels clone --to-tunnel other --create" + AUDIT)).isEqualTo(2);
    assertThat(err.toString()).contains("nothing was moved");
    assertThat(runLine("tunnels clone --to-tunnel other --yes" + AUDIT)).isZero();
    assertThat(service.seeks).extracting(Seek::tunnel).containsOnly("other");
    assertThat(service.seeks).extracting(Seek::isDryRun).containsExactly(true, false);
    assertThat(service.seeks.get(1).checkpoints().get().tunnel()).isEqualTo("audit");
  }

  @Test
  void a_tunnel_that_is_not_there_is_created_as_a_copy_when_asked() {
    assertThat(runLine("tunnels clone --to-tunnel copy" + AUDIT)).isEqualTo(1);
    assertThat(errLines())
        .containsExactly("tunnel tunnels clone: table 'orders' has no tunnel 'copy'");
    assertThat(runLine("tunnels clone --to-tunnel copy --create --dry-run" + AUDIT)).isZero();
    assertThat(service.tunnels).doesNotContainKey("orders/copy");
    assertThat(runLine("tunnels clone --to-tunnel copy --create --json" + AUDIT)).isZero();
    assertThat(outJson().get("tunnel").getAsString()).isEqualTo("copy");
    assertThat(outJson().get("moved").getAsBoolean()).isTrue();
    assertThat(service.tunnels).containsKey("orders/copy");
  }

  @Test
  void a_copy_that_cannot_be_given_the_progress_is_taken_away_again() {
    service.seekRefusal = Optional.of(ErrorCode.HISTORY_LOST);
    assertThat(runLine("tunnels clone --to-tunnel copy --create" + AUDIT)).isEqualTo(1);
    assertThat(service.seeks).hasSize(1);
    assertThat(service.tunnels).containsOnlyKeys("orders/audit");
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
  void only_what_is_named_of_a_tables_options_is_altered() {
    assertThat(runLine("tables alter --table orders --retention 7d --retention-bytes 10GiB"))
        .isZero();
    assertThat(outLines())
        .containsExactly("table orders altered: durability FSYNC, retention 7 d 00 h and 10.0 GiB");
    assertThat(runLine("tables alter --table orders --retention 0 --json")).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"table\":\"orders\",\"durability\":\"FSYNC\",\"retentionMs\":0,"
                + "\"retentionBytes\":10737418240}");
    TableOptions options = service.tables.get("orders").meta().options();
    assertThat(options.retentionMs()).isZero();
    assertThat(options.retentionBytes()).isEqualTo(10L << 30);
    assertThat(runLine("tables describe --table orders")).isZero();
    assertThat(outLines().get(0)).contains("durability FSYNC, retention 10.0 GiB, created");
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
