package io.tunnel.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ChildProcess;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The commands of operators, as processes, against a real server whose workers run. */
@Tag("proof-programs")
class OperatorsTest {

  private static final int PARTITIONS = 2;
  private static final int ROWS_PER_PARTITION = 300;
  private static final int ROWS = PARTITIONS * ROWS_PER_PARTITION;
  private static final Pattern JSON = Pattern.compile("\\{.*}");

  private static final class Counter implements IChannelProcessor {
    final AtomicInteger records = new AtomicInteger();

    @Override
    public void process(ProcessRecordsInput input) {
      records.addAndGet(input.getRecords().size());
    }

    @Override
    public void shutdown() {}
  }

  @RegisterExtension final Stage stage = new Stage();

  private final TestTable table = new TestTable("orders", PARTITIONS);
  private final Counter counter = new Counter();
  private ServerProcess server;
  private TableClient tables;
  private TunnelClient tunnels;

  @BeforeEach
  void a_tunnel_behind_a_filled_table() {
    server = stage.server();
    tables = stage.tables(server);
    tunnels = stage.tunnels(server);
    table.create(tables);
    write();
  }

  private void write() {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(TestTable.put((i % PARTITIONS) * (long) TestTable.HASHES_PER_PARTITION, "k" + i, i));
    }
    tables.write("orders", rows);
  }

  private ChildProcess command(String... words) {
    List<String> arguments = new ArrayList<>(List.of("tunnels"));
    arguments.addAll(List.of(words));
    arguments.addAll(List.of("--table", "orders", "--server", server.endpoint(), "--json"));
    return stage.child("tunnels", ServerProcess.MAIN, arguments);
  }

  /** Runs a command on a tunnel that must succeed, and returns what it printed last. */
  private JsonObject run(String command, String tunnel, String... options) {
    List<String> words = new ArrayList<>(List.of(command, "--tunnel", tunnel));
    words.addAll(List.of(options));
    ChildProcess child = command(words.toArray(String[]::new));
    assertThat(child.awaitExit()).as(child.transcript()).isZero();
    return json(child);
  }

  private static JsonObject json(ChildProcess child) {
    String line = child.lastLine(JSON).orElseThrow(AssertionError::new).group();
    return JsonParser.parseString(line).getAsJsonObject();
  }

  private void work(String tunnelId) {
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(counter));
    stage.closes(worker::shutdown);
    worker.connectAndWorking();
  }

  private void awaitRecords(int records) {
    Poll.until(
        records + " records, not " + counter.records, () -> counter.records.get() >= records);
  }

  @Test
  void progress_is_moved_while_a_worker_runs() {
    work(table.createTunnel(tunnels, "audit"));
    awaitRecords(ROWS);
    Poll.until(
        "everything is checkpointed",
        () -> run("describe", "audit").get("lagRows").getAsLong() == 0);

    ChildProcess asking = command("seek", "--tunnel", "audit", "--to", "earliest");
    assertThat(asking.awaitExit()).isEqualTo(2);
    assertThat(json(asking).get("changesAgain").getAsLong()).isEqualTo(ROWS);
    assertThat(json(asking).get("moved").getAsBoolean()).isFalse();
    assertThat(asking.transcript()).contains("nothing was moved: add --yes to do it");
    assertThat(counter.records).hasValue(ROWS);

    JsonObject moved = run("seek", "audit", "--to", "earliest", "--yes");
    assertThat(moved.get("moved").getAsBoolean()).isTrue();
    awaitRecords(2 * ROWS);
    assertThat(counter.records).hasValue(2 * ROWS);
  }

  @Test
  void a_paused_tunnel_delivers_nothing_until_it_is_resumed() {
    String id = table.createTunnel(tunnels, "audit");
    run("pause", "audit");
    work(id);
    JsonObject paused = run("describe", "audit");
    assertThat(paused.get("isPaused").getAsBoolean()).isTrue();
    assertThat(paused.getAsJsonArray("sessions")).hasSize(1);
    for (JsonElement channel : paused.getAsJsonArray("channels")) {
      assertThat(channel.getAsJsonObject().get("owner").isJsonNull()).isTrue();
    }
    assertThat(counter.records).hasValue(0);

    run("resume", "audit");
    awaitRecords(ROWS);
    assertThat(run("describe", "audit").get("isPaused").getAsBoolean()).isFalse();
  }

  @Test
  void progress_is_exported_imported_and_cloned() {
    table.createTunnel(tunnels, "audit");
    Path file = stage.path("audit.json");
    run("export", "audit", "--out", file.toString());
    run("seek", "audit", "--to", "latest", "--yes");
    assertThat(run("describe", "audit").get("lagRows").getAsLong()).isZero();

    run("clone", "audit", "--to-tunnel", "copy", "--create");
    assertThat(run("describe", "copy").get("lagRows").getAsLong()).isZero();

    JsonObject back = run("import", "audit", "--in", file.toString(), "--yes");
    assertThat(back.get("changesAgain").getAsLong()).isEqualTo(ROWS);
    assertThat(run("describe", "audit").get("lagRows").getAsLong()).isEqualTo(ROWS);
    assertThat(run("describe", "copy").get("lagRows").getAsLong()).isZero();
  }

  @Test
  void checkpoints_of_another_table_are_refused() {
    table.createTunnel(tunnels, "audit");
    Path file = stage.path("audit.json");
    run("export", "audit", "--out", file.toString());
    tables.dropTable("orders");
    table.create(tables);
    table.createTunnel(tunnels, "audit");
    ChildProcess child = command("import", "--tunnel", "audit", "--in", file.toString(), "--yes");
    assertThat(child.awaitExit()).as(child.transcript()).isEqualTo(1);
  }

  @Test
  void a_session_that_is_ended_is_followed_by_another() {
    work(table.createTunnel(tunnels, "audit"));
    awaitRecords(ROWS);
    String first = session();
    run("end-session", "audit", "--session", first);
    Poll.until("another session", () -> !session().isEmpty() && !session().equals(first));

    ChildProcess again = command("end-session", "--tunnel", "audit", "--session", first);
    assertThat(again.awaitExit()).isEqualTo(4);
    assertThat(again.transcript()).contains("has no session '" + first + "'");
  }

  /** The only session's id; empty when there is none. */
  private String session() {
    var sessions =
        tunnels.describeTunnel(new DescribeTunnelRequest("orders", "audit")).sessionInfos();
    return sessions.isEmpty() ? "" : sessions.get(0).clientId();
  }
}
