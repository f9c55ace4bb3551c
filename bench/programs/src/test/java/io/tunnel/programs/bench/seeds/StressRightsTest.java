package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.cli.security.directory.NewSecurity;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code tunnel stress --workload} on a server that asks everybody who they are. */
class StressRightsTest {

  private static final String REGISTRY =
      "{\"seed\": \"r\", \"kind\": \"registry\", \"title\": \"names of hosts\","
          + " \"publishedOn\": \"paper\", \"operations\": [\"register\"],"
          + " \"warmUpSeconds\": 0, \"loads\": [{\"clients\": 1, \"bytes\": 64,"
          + " \"requests\": 4, \"namesOfClient\": 2}], \"columns\": [\"perSecond\"]}";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;
  private Server server;
  private String administrator;

  @BeforeEach
  void start() throws IOException {
    Path security = directory.resolve("security");
    NewSecurity.onLoopback(security, Instant.now(), Duration.ofDays(1));
    administrator = security.resolve(NewSecurity.ADMINISTRATOR).toString();
    ServerConfig config =
        ServerConfig.defaults(2).withSecurity(new ServerConfig.SecurityConfig(security.toString()));
    server =
        Server.alone(
            directory.resolve("data"), config.withNet(config.net().at("127.0.0.1", 0, -1)));
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private int run(String profile, String... line) {
    List<String> arguments = new ArrayList<>(List.of(line));
    String endpoint = "127.0.0.1:" + server.localAddress().getPort();
    arguments.addAll(List.of("--profile", profile, "--server", endpoint));
    CommandLine command =
        TunnelCommand.commandLine(CommandLine.defaultFactory())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), arguments.toArray(new String[0]));
  }

  private void grant(String rights) {
    assertThat(
            run(administrator, "security", "grant", "--to", "load", rights, "--on", "table:load_*"))
        .as(err.toString())
        .isZero();
  }

  /** Who may make a table and not drop it would leave the table. */
  @Test
  void a_run_without_a_right_makes_no_table() throws IOException {
    String workload = Files.writeString(directory.resolve("workload.json"), REGISTRY).toString();
    String profile = directory.resolve("load.json").toString();
    assertThat(run(administrator, "security", "key", "create", "load", "--out", profile)).isZero();
    grant("create,read,write");
    assertThat(run(profile, "stress", "--workload", workload)).isEqualTo(ExitCode.FAILED);
    assertThat(err.toString())
        .contains("principal 'load' lacks drop on table:load_*; no table was made")
        .contains("tunnel security grant")
        .doesNotContain("may be left");
    out.getBuffer().setLength(0);
    assertThat(run(administrator, "tables", "list")).isZero();
    assertThat(out.toString().strip()).as("tables").isEmpty();
    grant("drop");
    assertThat(run(profile, "stress", "--workload", workload)).as(err.toString()).isZero();
  }
}
