package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.TunnelCommand;
import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.programs.servers.ClusterProcesses;
import io.tunnel.sdk.TableClient;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * {@code tunnel stress --workload} with loads that are processes, on servers that are processes.
 */
@Tag("proof-programs")
class StressWorkloadRunsTest {

  private static final OwnServer.Settings SETTINGS =
      new OwnServer.Settings(Optional.empty(), Optional.empty(), 64);

  private static final String QUEUE =
      "{\"seed\": \"q\", \"kind\": \"queue\", \"title\": \"t\", \"publishedOn\": \"paper\","
          + " \"operations\": [\"P_T\"], \"warmUpSeconds\": 0, \"seconds\": 2,"
          + " \"loads\": [{\"senders\": 2, \"receivers\": 2, \"connections\": 1, \"queues\": 1,"
          + " \"bytes\": 100}, {\"senders\": 1, \"receivers\": 1, \"connections\": 1,"
          + " \"queues\": 1, \"bytes\": 50}], \"columns\": [\"receivedPerSecond\", \"cpuPercent\"]}";

  private static final String PATHS =
      "{\"seed\": \"p\", \"kind\": \"publish\", \"title\": \"t\", \"publishedOn\": \"paper\","
          + " \"operations\": [\"createDelete\", \"notifyRead\"], \"warmUpSeconds\": 0,"
          + " \"seconds\": 1, \"loads\": [{\"publishers\": 2, \"subscribersOfPath\": 2,"
          + " \"pathsOfPublisher\": 5, \"bytes\": 100, \"servers\": 1}],"
          + " \"columns\": [\"perSecond\", \"failed\"]}";

  private static final String NAMES =
      "{\"seed\": \"r\", \"kind\": \"registry\", \"title\": \"t\", \"publishedOn\": \"paper\","
          + " \"operations\": [\"register\", \"lookUp\"], \"warmUpSeconds\": 0,"
          + " \"loads\": [{\"clients\": 6, \"bytes\": 64, \"requests\": 60,"
          + " \"namesOfClient\": 5, \"servers\": 3}], \"columns\": [\"perSecond\"]}";

  @TempDir Path directory;

  private JsonObject report(List<String> server, String workload) throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Path file = Files.writeString(directory.resolve("workload.json"), workload);
    CommandLine command =
        TunnelCommand.commandLine(CommandLine.defaultFactory())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    String[] arguments = {
      "stress", server.get(0), server.get(1), "--workload", file.toString(), "--json"
    };
    int exitCode = CommandRunner.run(command, Diagnosis.standard(), arguments);
    assertThat(exitCode).as(err.toString()).isZero();
    return JsonParser.parseString(out.toString()).getAsJsonObject();
  }

  private static double figure(JsonObject report, String operation, String column) {
    return report.getAsJsonArray(operation).get(0).getAsJsonObject().get(column).getAsDouble();
  }

  private static void assertNoTables(String endpoint) {
    try (TableClient client = TableClient.connect(endpoint)) {
      assertThat(client.listTables()).as("what the load left").isEmpty();
    }
  }

  /** The loads come with TLS and the key of the profile. */
  @Test
  void queues_and_paths_run_on_a_server_with_tls_and_keys() throws Exception {
    LoopbackSecurity security =
        LoopbackSecurity.in(directory, Instant.ofEpochMilli(new SystemClock().epochMs()));
    try (OwnServer server = OwnServer.start(directory.resolve("server"), SETTINGS, security)) {
      String endpoint = security.forAdministrator(server.endpoint());
      List<String> options =
          List.of(
              "--server=" + server.endpoint(),
              "--profile=" + security.administrator().orElseThrow());
      JsonObject queue = report(options, QUEUE);
      assertThat(figure(queue, "seedqP_T", "receivedPerSecond")).isPositive();
      // Nobody can look at the processes of a server that is there.
      assertThat(queue.getAsJsonArray("seedqP_T").get(0).getAsJsonObject().has("cpuPercent"))
          .isFalse();
      JsonObject paths = report(options, PATHS);
      for (String operation : List.of("seedpCreateDelete", "seedpNotifyRead")) {
        assertThat(figure(paths, operation, "perSecond")).isPositive();
        assertThat(figure(paths, operation, "failed")).isZero();
      }
      assertNoTables(endpoint);
    }
  }

  /** Each client asks the node that leads its partition, and binds no rows. */
  @Test
  void names_and_paths_run_on_a_cluster() throws Exception {
    try (ClusterProcesses cluster =
        OwnCluster.processes(directory.resolve("cluster"), SETTINGS, 3, new SystemClock())) {
      List<String> options = List.of("--server", cluster.endpoint());
      JsonObject names = report(options, NAMES);
      assertThat(figure(names, "seedrRegister", "perSecond")).isPositive();
      assertThat(figure(names, "seedrLookUp", "servers")).isEqualTo(3);
      JsonObject paths = report(options, PATHS);
      assertThat(figure(paths, "seedpNotifyRead", "failed")).isZero();
      assertNoTables(cluster.endpoint());
    }
  }
}
