package io.tunnel.cli.tunnels;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that move the progress of a tunnel: seek, export and import, clone. */
class MoveCommandsTest extends AuditTunnelTest {

  @TempDir private Path directory;

  private static RuntimeException refused() {
    return new RefusedException(ErrorCode.HISTORY_LOST, "the seek is refused");
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
    assertThat(service.seeks).extracting(SeekTunnelRequest::isDryRun).containsExactly(true);
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
              assertThat(seek.channelIds()).containsExactly("c1", "c2");
            });
    assertThat(service.questions).isEmpty();
  }

  @Test
  void a_seek_of_a_stopped_channel_says_that_it_waits_for_a_resume() {
    assertThat(runLine("tunnels seek --to latest --yes" + AUDIT)).isZero();
    assertThat(err.toString()).doesNotContain("resume");
    service.setChannels(
        "orders",
        "audit",
        ChannelInfo.builder("c1", 1, ChannelType.Stream).build(),
        ChannelInfo.builder("c2", 2, ChannelType.Stream).error("HISTORY_LOST: gone").build(),
        ChannelInfo.builder("c9", 9, ChannelType.Stream).error("odd").build());
    assertThat(runLine("tunnels seek --to latest --dry-run" + AUDIT)).isZero();
    assertThat(err.toString()).doesNotContain("resume");
    assertThat(runLine("tunnels seek --to latest --yes" + AUDIT)).isZero();
    assertThat(err.toString())
        .contains(
            "note: 1 of these channels stopped at an error, channel c2 for one, and a seek lets"
                + " none go on: 'tunnel tunnels resume --table orders --tunnel audit' does");
  }

  @Test
  void a_person_at_the_terminal_is_asked() {
    service.answer = Optional.of("n");
    assertThat(runLine("tunnels seek --to 1000000000000" + AUDIT)).isEqualTo(2);
    assertThat(service.questions).containsExactly("Do it? [y/N] ");
    service.answer = Optional.of(" Yes");
    assertThat(runLine("tunnels seek --to 1000000000000" + AUDIT)).isZero();
    assertThat(service.seeks)
        .extracting(SeekTunnelRequest::isDryRun)
        .containsExactly(true, true, false);
    assertThat(service.seeks.get(2).timeMs()).contains(1_000_000_000_000L);
  }

  @Test
  void a_distance_from_now_by_a_clock_that_differs_from_the_clock_of_the_server_is_remarked() {
    assertThat(runLine("tunnels seek --to -1h --dry-run" + AUDIT)).isZero();
    assertThat(err.toString()).isEmpty();

    service.serverMs += 3_600_000;
    assertThat(runLine("tunnels seek --to -1h --yes" + AUDIT)).isZero();
    assertThat(err.toString())
        .startsWith("--to '-1h' was counted from the clock of this machine")
        .contains("ahead");
    service.answer = Optional.of("y");
    assertThat(runLine("tunnels seek --to -1h" + AUDIT)).isZero();
    assertThat(errLines()).filteredOn(line -> line.startsWith("--to")).hasSize(1);
    assertThat(runLine("tunnels seek --to latest --yes" + AUDIT)).isZero();
    assertThat(err.toString()).isEmpty();
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
    assertThat(service.seeks).extracting(SeekTunnelRequest::isDryRun).containsExactly(true);
  }

  @Test
  void a_seek_that_the_server_refuses_is_a_failed_job() {
    service.seekFailure = Optional.of(refused());
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
    assertThat(service.seeks).extracting(SeekTunnelRequest::isDryRun).containsExactly(false, true);

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
        "{\"format\":\"x\",\"format\":\"y\"}|the name 'format' comes twice in an object",
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
    assertThat(service.seeks).extracting(SeekTunnelRequest::tunnelName).containsOnly("other");
    assertThat(service.seeks).extracting(SeekTunnelRequest::isDryRun).containsExactly(true, false);
    assertThat(service.seeks.get(1).checkpoints().get().tunnel()).isEqualTo("audit");
  }

  @Test
  void a_tunnel_that_is_not_there_is_created_as_a_copy_when_asked() {
    assertThat(runLine("tunnels clone --to-tunnel copy" + AUDIT)).isEqualTo(4);
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
    service.seekFailure = Optional.of(refused());
    assertThat(runLine("tunnels clone --to-tunnel copy --create" + AUDIT)).isEqualTo(1);
    assertThat(service.seeks).hasSize(1);
    assertThat(service.tunnels).containsOnlyKeys("orders/audit");
  }

  @Test
  void a_copy_of_which_nobody_knows_whether_it_has_the_progress_is_taken_away_again() {
    service.seekFailure =
        Optional.of(new ConnectionException("the connection ended", true, new IOException()));
    assertThat(runLine("tunnels clone --to-tunnel copy --create" + AUDIT)).isNotZero();
    assertThat(service.seeks).hasSize(1);
    assertThat(service.tunnels).containsOnlyKeys("orders/audit");
    assertThat(err.toString()).contains("the connection ended").doesNotContain("was created");
  }

  @Test
  void a_copy_that_cannot_be_taken_away_is_named_with_the_command_that_does() {
    service.seekFailure = Optional.of(refused());
    service.deleteFailure =
        Optional.of(new RefusedException(ErrorCode.NOT_PERMITTED, "you may not drop it"));
    assertThat(runLine("tunnels clone --to-tunnel copy --create" + AUDIT)).isEqualTo(1);
    assertThat(service.tunnels).containsOnlyKeys("orders/audit", "orders/copy");
    assertThat(err.toString())
        .contains("the seek is refused")
        .contains("'tunnel tunnels delete --table orders --tunnel copy' deletes it");
  }
}
