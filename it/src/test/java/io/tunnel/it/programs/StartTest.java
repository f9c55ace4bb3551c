package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.TableClient;
import io.tunnel.wire.ErrorPayload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server refuses to start on, and what it says over HTTP when it runs. */
class StartTest {

  private static final int IO_FAILED = 74;
  private static final int IN_USE = 69;
  private static final int BAD_USAGE = 2;

  @RegisterExtension final Stage stage = new Stage();

  /** Starts a server that must refuse; returns what it says. */
  private String refused(int exitCode, Path data, String... options) {
    List<String> arguments = new ArrayList<>(List.of("server", "--data", data.toString()));
    arguments.addAll(List.of(options));
    ChildProcess child = stage.child("refused", ServerProcess.MAIN, arguments);
    assertThat(child.awaitExit()).as(child.transcript()).isEqualTo(exitCode);
    assertThat(child.transcript())
        .as("no stack trace for people")
        .doesNotContain("\tat ")
        .doesNotContain("listening on");
    return child.transcript();
  }

  private String refused(int exitCode, Path data) {
    return refused(exitCode, data, "--port", "0", "--http-port", "0");
  }

  @Test
  void a_directory_that_another_server_uses_is_refused_and_that_server_goes_on() {
    ServerProcess server = stage.server();
    assertThat(refused(IN_USE, server.data()))
        .contains(server.data() + " is in use by another server")
        .contains("--data");
    TableClient tables = stage.tables(server);
    assertThat(tables.listTables()).isEmpty();
    server.kill();
    // The lock of a dead server is no lock.
    assertThat(stage.tables(server.start()).listTables()).isEmpty();
  }

  @Test
  void a_port_that_is_in_use_is_named_with_what_to_do() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = "" + taken.getLocalPort();
      assertThat(refused(IN_USE, stage.path("data"), "--port", port, "--http-port", "-1"))
          .contains("127.0.0.1:" + port)
          .contains("choose another with --port");
      assertThat(refused(IN_USE, stage.path("data"), "--port", "0", "--http-port", port))
          .contains("127.0.0.1:" + port)
          .contains("choose another with --http-port");
    }
  }

  @Test
  void a_directory_that_cannot_be_written_is_named_with_what_to_do() throws IOException {
    Path file = Files.writeString(stage.path("file"), "not a directory");
    assertThat(refused(IO_FAILED, file.resolve("data")))
        .contains("cannot write to the data directory " + file.resolve("data"))
        .contains("--data");
    assertThat(refused(IO_FAILED, file)).contains(file.toString()).contains("--data");
  }

  @Test
  void a_directory_of_another_format_is_refused_and_left_as_it_is() throws IOException {
    ServerProcess server = stage.server();
    server.stop();
    Path format = server.data().resolve("FORMAT");
    String own = Files.readString(format);
    String newer = own.replace("\"format\":2", "\"format\":3");
    Files.writeString(format, newer);
    assertThat(refused(IO_FAILED, server.data()))
        .contains("has format 3")
        .contains("reads format 2")
        .contains("newer");
    assertThat(Files.readString(format)).isEqualTo(newer);
    Files.writeString(format, own.replace("\"format\":2", "\"format\":1"));
    assertThat(refused(IO_FAILED, server.data()))
        .contains("was written by a build before 0.1.0")
        .contains("export the rows");
    Files.writeString(format, "what is this");
    assertThat(refused(IO_FAILED, server.data()))
        .contains("does not contain the format of the data directory");
  }

  @Test
  void an_address_that_others_reach_needs_to_be_meant() {
    assertThat(
            refused(
                BAD_USAGE,
                stage.path("data"),
                "--port",
                "0",
                "--http-port",
                "-1",
                "--host",
                "0.0.0.0"))
        .contains("--insecure");
    assertThat(refused(BAD_USAGE, stage.path("data"), "--port", "x")).contains("--port");
  }

  @Test
  void a_server_that_stops_says_so_to_everybody_who_is_connected() {
    ServerProcess server = stage.server();
    RawClient idle = stage.closing(RawClient.greeted(server));
    server.child().terminate();
    ErrorPayload last = idle.closedWith(0, 0);
    assertThat(last.code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
    assertThat(last.message()).contains("stopping");
    idle.close();
    assertThat(server.child().awaitExit()).isZero();
  }

  @Test
  void health_and_metrics_say_how_the_server_is() {
    ServerProcess server = stage.server();
    TableClient tables = stage.tables(server);
    var unused = new TestTable("orders", 2).create(tables);
    var tunnelId = new TestTable("orders", 2).createTunnel(stage.tunnels(server), "audit");
    tables.write("orders", List.of(TestTable.put(1, "a", 1)));

    JsonObject health = JsonParser.parseString(server.http("/health", 200)).getAsJsonObject();
    assertThat(health.get("status").getAsString()).isEqualTo("UP");
    assertThat(health.get("tables").getAsInt()).isEqualTo(1);
    assertThat(health.get("connections").getAsInt()).isEqualTo(2);
    String metrics = server.http("/metrics", 200);
    assertThat(metrics.lines())
        .as("metrics of tunnel %s", tunnelId)
        .contains("tunnel_rows_written_total 1.0")
        .anyMatch(
            line ->
                line.startsWith("tunnel_channel_lag_rows{")
                    && line.contains("table=\"orders\"")
                    && line.contains("tunnel=\"audit\"")
                    && line.endsWith(" 1.0"))
        .anyMatch(line -> line.startsWith("tunnel_commit_seconds_count"))
        .anyMatch(line -> line.startsWith("tunnel_queue_bytes"))
        .anyMatch(line -> line.startsWith("jvm_memory_used_bytes"));
    assertThat(server.http("/else", 404)).contains("/health and /metrics");
  }
}
