package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.TunnelCommand;
import io.tunnel.sdk.TableClient;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code tunnel stress --workload} on a server in this process. */
class StressWorkloadTest {

  private static final String REGISTRY =
      "{\"seed\": \"r\", \"kind\": \"registry\", \"title\": \"names of hosts\","
          + " \"publishedOn\": \"paper\", \"operations\": [\"register\", \"lookUp\"],"
          + " \"warmUpSeconds\": 0, \"loads\": [{\"clients\": 4, \"bytes\": 64,"
          + " \"requests\": 40, \"namesOfClient\": 5}],"
          + " \"columns\": [\"perSecond\", \"averageMs\", \"residentKiB\"],"
          + " \"published\": [{\"operation\": \"lookUp\", \"clients\": 4, \"perSecond\": 7}]}";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;
  private EmbeddedServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        EmbeddedServer.start(
            directory.resolve("server"),
            new OwnServer.Settings(Optional.empty(), Optional.empty(), 16));
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private String endpoint() {
    return "127.0.0.1:" + server.port(0);
  }

  private int stress(String... more) {
    List<String> arguments = new ArrayList<>(List.of("stress", "--server", endpoint()));
    arguments.addAll(List.of(more));
    CommandLine command =
        TunnelCommand.commandLine(CommandLine.defaultFactory())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    return CommandRunner.run(command, Diagnosis.standard(), arguments.toArray(new String[0]));
  }

  private String file(String workload) throws IOException {
    return Files.writeString(directory.resolve("workload.json"), workload).toString();
  }

  private JsonObject report(String workload) throws IOException {
    assertThat(stress("--workload", file(workload), "--json")).as(err.toString()).isZero();
    assertNoTables();
    return JsonParser.parseString(out.toString()).getAsJsonObject();
  }

  private void assertNoTables() {
    try (TableClient client = TableClient.connect(endpoint())) {
      assertThat(client.listTables()).as("what the load left").isEmpty();
    }
  }

  private static JsonObject first(JsonObject report, String operation) {
    JsonArray rows = report.getAsJsonArray(operation);
    assertThat(rows).hasSize(1);
    JsonObject row = rows.get(0).getAsJsonObject();
    assertThat(row.get("perSecond").getAsDouble()).isPositive();
    assertThat(row.get("averageMs").getAsDouble()).isPositive();
    // The server may be on another machine.
    assertThat(row.has("residentKiB")).isFalse();
    assertThat(row.has("peer")).isFalse();
    return row;
  }

  @Test
  void a_registry_runs_on_a_server_that_is_there_and_leaves_nothing() throws IOException {
    JsonObject report = report(REGISTRY);
    assertThat(report.get("bench").getAsString()).isEqualTo("stress");
    assertThat(report.getAsJsonObject("settings").get("server").getAsString())
        .isEqualTo(endpoint());
    assertThat(first(report, "seedrRegister").get("requests").getAsInt()).isEqualTo(40);
    JsonObject published = first(report, "seedrLookUp").getAsJsonObject("published");
    assertThat(published.get("perSecond").getAsInt()).isEqualTo(7);
  }

  @Test
  void an_echo_runs_once_for_each_load_whatever_event_loops_the_file_asks_for() throws IOException {
    JsonObject report =
        report(
            "{\"seed\": \"e\", \"kind\": \"echo\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"acknowledge\", \"repeat\"], \"threads\": [1, 2, 3],"
                + " \"warmUpSeconds\": 1, \"seconds\": 1,"
                + " \"loads\": [{\"clients\": 8, \"bytes\": 100}],"
                + " \"columns\": [\"perSecond\", \"averageMs\", \"residentKiB\"]}");
    assertThat(first(report, "seedeAcknowledge").has("threads")).isFalse();
    assertThat(first(report, "seedeRepeat").get("clients").getAsInt()).isEqualTo(8);
  }

  @Test
  void a_mix_runs_on_rows_that_it_makes_before() throws IOException {
    JsonObject report =
        report(
            "{\"seed\": \"x\", \"kind\": \"mix\", \"title\": \"t\", \"publishedOn\": \"paper\","
                + " \"operations\": [\"flow\"], \"warmUpSeconds\": 0, \"seconds\": 1,"
                + " \"steps\": {\"flow\": [\"get\", \"query\", \"put\", \"update\", \"delete\"]},"
                + " \"loads\": [{\"clients\": 2, \"bytes\": 64, \"rowsBefore\": 100}],"
                + " \"columns\": [\"perSecond\", \"averageMs\"]}");
    assertThat(first(report, "seedxFlow").get("rowsBefore").getAsInt()).isEqualTo(100);
  }

  @Test
  void without_json_people_get_a_table() throws IOException {
    assertThat(stress("--workload", file(REGISTRY))).as(err.toString()).isZero();
    // Elsewhere than on a terminal reports are JSON.
    assertThat(out.toString()).startsWith("{");
    assertThat(err.toString())
        .contains("r: 4 clients, 64 bytes", "  this service: register ", "; lookUp ");
  }

  @Test
  void a_refused_connection_fails_the_run_which_leaves_nothing() throws IOException {
    String many = REGISTRY.replace("\"clients\": 4", "\"clients\": 40");
    assertThat(stress("--workload", file(many))).isEqualTo(ExitCode.FAILED);
    // The server refuses one, or lets one go that has not greeted yet.
    assertThat(err.toString()).containsPattern("connection [0-9]+ was not opened: ");
    assertNoTables();
  }

  @Test
  void what_a_workload_says_is_no_option_beside_it() throws IOException {
    String file = file(REGISTRY);
    assertThat(stress("--workload", file, "--rows", "5")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("--rows has no meaning beside --workload");
  }

  @Test
  void a_workload_that_is_none_is_refused_with_its_place() throws IOException {
    String none = REGISTRY.replace("\"clients\": 4", "\"clients\": 0");
    assertThat(stress("--workload", file(none))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("workload.json: $.loads[0].clients is 1 to 10000, not 0");
    assertThat(stress("--workload", directory.resolve("none.json").toString()))
        .isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("none.json: there is no such file, and seeds are 000, 002");
    assertThat(stress("--workload", directory.toString())).isEqualTo(ExitCode.IO);
    assertThat(err.toString()).contains("cannot be read");
  }

  @Test
  void a_server_that_is_not_there_has_no_tables() throws IOException {
    String file = file(REGISTRY);
    server.close();
    assertThat(stress("--workload", file)).isNotZero();
    assertThat(err.toString()).contains("cannot connect").doesNotContain("may be left");
  }

  @Test
  void access_paths_are_for_the_benchmark() {
    assertThat(stress("--workload", "004paths")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains("of kind access").contains("tunnel bench seeds");
  }
}
