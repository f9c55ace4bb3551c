package io.tunnel.programs.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class TortureCommandTest {

  private final StringWriter err = new StringWriter();

  private int run(String line) {
    CommandLine command =
        new CommandLine(new TortureCommand())
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), line.split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--minutes 0",
        "--minutes x",
        "--minutes 1000000",
        "--faults flood",
        "--nodes 3",
        "--log kafka --nodes 0",
        "--log kafka --nodes 8",
        "--work /nowhere-at-all",
        "--seed a",
        "--hostile --time 3s",
        "--hostile --time 25h",
        "--hostile --connections -1",
        "--hostile --connections 5001",
        "--hostile --faults kill",
        "--hostile --profile admin.json",
        "--hostile --http-port 7651",
        "--hostile --server 127.0.0.1:1"
      })
  void what_cannot_be_is_a_usage_error(String line) {
    assertThat(run(line)).as(err::toString).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"192.0.2.1:7650", "example.org:7650", "127.0.0.1:1,127.0.0.1:2", "[::2]:7650"})
  void nobody_else_is_attacked(String server, @TempDir Path directory) throws IOException {
    Path profile =
        Files.createFile(
            directory.resolve("admin.json"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        profile, "{\"tls\": true, \"key\": {\"id\": \"tk\", \"secret\": \"0123456789abcdef\"}}");
    assertThat(run("--hostile --server " + server + " --profile " + profile)).isEqualTo(2);
    assertThat(err.toString()).contains("only one server on this machine is attacked");
  }

  @Test
  void a_fault_that_is_none_is_told_with_those_that_are() {
    assertThat(run("--faults flood")).isEqualTo(2);
    assertThat(err.toString())
        .contains("kill, suspend, power, full-disk, failing-disk, empty", "unclean, not 'flood'");
  }

  @Test
  void faults_of_several_nodes_are_left_out_with_one() {
    assertThat(run("--log kafka --faults empty,drain,unclean,broker-kill")).isEqualTo(1);
    assertThat(err.toString()).contains("empty: it needs --nodes", "broker-kill: it needs --nodes");
  }

  @Test
  void faults_of_a_cluster_are_counted_and_told() {
    TortureTally tally = new TortureTally(1, List.of());
    assertThat(tally.lines(5)).noneMatch(line -> line.startsWith("of the cluster"));
    tally.fault(Fault.EMPTY);
    tally.fault(Fault.EMPTY);
    tally.fault(Fault.UNCLEAN);
    tally.trimmed(3);
    tally.drainRefused();
    assertThat(tally.lines(5))
        .contains("of the cluster: empty 2, unclean 1; 3 trimmed logs, 1 drain refused");
    assertThat(tally.json(5))
        .contains("\"empties\":2", "\"uncleanElections\":1", "\"trimmedLogs\":3");
    assertThat(tally.isClean()).isTrue();
  }

  @Test
  void a_summary_is_clean_only_without_findings() {
    TortureTally tally = new TortureTally(1, List.of());
    assertThat(tally.isClean()).isTrue();
    assertThat(tally.json(5)).contains("\"lost\":0", "\"verified\":true", "\"powerLosses\":0");
    tally.startRefused("the server does not start");
    assertThat(tally.isClean()).isFalse();
    assertThat(tally.json(5)).contains("\"startsRefused\":1", "\"verified\":false");
    assertThat(tally.lines(5)).last().isEqualTo("NOT VERIFIED");
  }

  @Test
  void a_run_that_could_not_go_on_has_a_summary_and_is_not_verified() {
    TortureTally tally = new TortureTally(1, List.of());
    tally.endedEarly("java.io.IOException: mount: no loop device");
    assertThat(tally.isClean()).isFalse();
    assertThat(tally.json(5)).contains("\"lost\":0", "no loop device", "\"verified\":false");
    assertThat(tally.lines(5))
        .endsWith("ended early: java.io.IOException: mount: no loop device", "NOT VERIFIED");
  }
}
