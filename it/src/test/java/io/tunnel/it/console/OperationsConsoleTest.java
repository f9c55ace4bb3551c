package io.tunnel.it.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.console.Requests.Request;
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
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.tunnel.SessionInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations by clicks: a dialog does exactly the change that the dry run showed. */
@Tag("proof-console")
class OperationsConsoleTest {

  private static final String TABLE = "orders";
  private static final int PARTITIONS = 4;
  private static final int ROWS = 40;

  /** Has a worker. */
  private static final String CONSUMED = "audit";

  /** Nobody consumes this one. */
  private static final String IDLE = "idle";

  /** Nobody consumes this one, either. */
  private static final String OTHER = "other";

  @RegisterExtension static final Stage STAGE = new Stage();

  private static ServerProcess server;
  private static TunnelClient tunnels;
  private static Browser browser;

  private Requests requests;

  private record Taker() implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {}

    @Override
    public void shutdown() {}
  }

  @BeforeAll
  static void begin() {
    browser = STAGE.closing(Browser.start());
    server = STAGE.server();
    TableClient tables = STAGE.tables(server);
    tunnels = STAGE.tunnels(server);
    TestTable table = new TestTable(TABLE, PARTITIONS);
    table.create(tables);
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      long hash = (long) i % PARTITIONS * TestTable.HASHES_PER_PARTITION;
      rows.add(TestTable.put(hash, "k" + i, i));
    }
    tables.write(TABLE, rows);
    String consumed = table.createTunnel(tunnels, CONSUMED);
    table.createTunnel(tunnels, IDLE);
    table.createTunnel(tunnels, OTHER);
    TunnelWorkerConfig config = new TunnelWorkerConfig(new Taker());
    config.setClientTag("worker " + LoadedTable.MARKUP);
    TunnelWorker worker = new TunnelWorker(consumed, tunnels, config);
    worker.connectAndWorking();
    STAGE.closes(worker::shutdown);
  }

  @BeforeEach
  void a_page_is_open() {
    show(IDLE);
  }

  private void show(String tunnel) {
    load("#/tunnels/" + TABLE + "/" + tunnel, ".cell");
  }

  /** Loads the page anew, also when only the hash differs. */
  private void load(String page, String css) {
    browser.open("about:blank");
    browser.open("http://127.0.0.1:" + server.httpPort() + "/" + page);
    browser.element(css);
    requests = new Requests(browser);
  }

  @AfterEach
  void no_data_was_run() {
    assertThat(browser.script("return window.hacked ?? 0")).isEqualTo(0L);
  }

  private static DescribeTunnelResponse tunnel(String name) {
    return tunnels.describeTunnel(new DescribeTunnelRequest(TABLE, name));
  }

  private static long checkpointed(String tunnel) {
    return tunnel(tunnel).getChannelInfos().stream().mapToLong(ChannelInfo::checkpointed).sum();
  }

  private static boolean isThere(String tunnel) {
    return tunnels.listTunnel(new ListTunnelRequest(TABLE)).getTunnelInfos().stream()
        .anyMatch(each -> each.getTunnelName().equals(tunnel));
  }

  /** Opens the sheet of the first channel and returns the channel's id. */
  private static String pickChannel() {
    browser.click(".cell");
    browser.awaitText("#channel h3", "Channel ");
    return browser.text("#channel h3").substring("Channel ".length());
  }

  private static void go() {
    browser.click("#operation-go");
  }

  /** Carries out what the dialog is open for, with the effect before where it shows one. */
  private static void goThrough() {
    go();
    Poll.until("neither an effect nor an end", () -> !browser.text("dialog .effect").isBlank());
    if (!browser.isShown("#operation-done")) {
      go();
    }
  }

  /** The text of the dry run, once the page shows the text. */
  private static String effect() {
    browser.awaitText("dialog .effect", "move");
    return browser.text("dialog .effect strong");
  }

  private static String done() {
    browser.element("#operation-done");
    return browser.text("#operation-done");
  }

  private static String command() {
    return browser.text("dialog .same code");
  }

  @ParameterizedTest
  @CsvSource({"pause,PAUSE,Delivery stops", "resume,RESUME,Delivery goes on"})
  void a_tunnel_or_a_channel_is_paused_and_resumed_as_the_dialog_says(
      String word, String operation, String text) {
    browser.click("#" + word);
    browser.awaitText("dialog", text);
    assertThat(command()).isEqualTo("tunnel tunnels " + word + " --table orders --tunnel idle");
    assertThat(requests.all()).isEmpty();
    go();
    assertThat(done()).isEqualTo("tunnel idle of table orders " + word + "d");
    Request whole =
        Requests.of(operation, "{\"table\":\"orders\",\"tunnel\":\"idle\",\"channels\":[]}");
    assertThat(requests.all()).containsExactly(whole);
    browser.click("#operation-close");

    String channel = pickChannel();
    browser.click("#channel .buttons button:nth-child(" + (word.equals("pause") ? 1 : 2) + ")");
    browser.awaitText("dialog h2", "channel " + channel + " of tunnel idle");
    assertThat(command()).endsWith("--tunnel idle --channel " + channel);
    go();
    done();
    assertThat(requests.all()).hasSize(2);
    assertThat(requests.all().get(1).payload().getAsJsonArray("channels"))
        .singleElement()
        .satisfies(each -> assertThat(each.getAsString()).isEqualTo(channel));
  }

  @ParameterizedTest
  @ValueSource(strings = {"latest", "earliest", "time", "position"})
  void a_seek_asks_for_what_its_dry_run_showed(String to) {
    boolean isOfOne = to.equals("position");
    String channel = isOfOne ? pickChannel() : "";
    browser.click(isOfOne ? "#channel .buttons button:nth-child(3)" : "#seek");
    browser.fill("dialog select", to);
    if (to.equals("time")) {
      // The server has the oldest change that is kept for any moment before it.
      browser.fill("dialog input[name=time]", "2020-01-02T03:04:05");
    } else if (isOfOne) {
      browser.fill("dialog input[name=position]", "3");
    }
    go();
    final String shown = effect();
    assertThat(requests.all()).hasSize(1);
    Request dryRun = requests.all().get(0);
    assertThat(dryRun.operation()).isEqualTo("SEEK");
    assertThat(dryRun.isDryRun()).isTrue();
    assertThat(dryRun.payload().getAsJsonArray("channels")).hasSize(isOfOne ? 1 : 0);
    final String command = command();
    final long before = checkpointed(IDLE);
    go();
    assertThat(done()).isEqualTo(shown.replace("would move", "moved"));
    assertThat(requests.changes()).containsExactly(dryRun.done());
    assertThat(command())
        .isEqualTo(command)
        .startsWith("tunnel tunnels seek --table orders --tunnel idle")
        .contains(isOfOne ? "--channel " + channel + " --to position:3" : "--to ");
    switch (to) {
      case "latest" -> assertThat(checkpointed(IDLE)).isEqualTo(ROWS);
      case "position" -> assertThat(checkpointed(IDLE)).isNotEqualTo(before + ROWS);
      default -> assertThat(checkpointed(IDLE)).isZero();
    }
  }

  @Test
  void an_input_that_is_changed_behind_its_dry_run_wants_another() {
    browser.click("#seek");
    browser.fill("dialog select", "latest");
    go();
    effect();
    browser.fill("dialog select", "earliest");
    Poll.until("the old effect is still shown", () -> browser.text("dialog .effect").isBlank());
    browser.awaitText("#operation-go", "Show the effect");
    go();
    effect();
    assertThat(requests.changes()).isEmpty();
    go();
    done();
    assertThat(requests.changes()).hasSize(1);
    assertThat(requests.changes().get(0).payload().get("edge").getAsString()).isEqualTo("EARLIEST");
  }

  @Test
  void an_input_that_is_changed_during_its_dry_run_wants_another() {
    browser.click("#seek");
    browser.fill("dialog select", "latest");
    browser.script("window.held = 'SEEK'");
    go();
    Poll.until("no dry run", () -> requests.all().size() == 1);
    browser.fill("dialog select", "earliest");
    browser.script("window.held = ''; window.release()");
    browser.awaitText("#operation-go", "Show the effect");
    Poll.until("stays busy", () -> browser.element("#operation-go").isEnabled());
    assertThat(browser.text("dialog .effect")).isBlank();
    go();
    effect();
    assertThat(requests.changes()).isEmpty();
    assertThat(requests.all().get(1).payload().get("edge").getAsString()).isEqualTo("EARLIEST");
  }

  @Test
  void a_clone_copies_the_progress_that_was_shown_though_the_source_has_moved_meanwhile() {
    assertThat(tunnels.seekTunnel(SeekTunnelRequest.toLatest(TABLE, IDLE)).moves()).isNotEmpty();
    assertThat(tunnels.seekTunnel(SeekTunnelRequest.toEarliest(TABLE, OTHER)).moves()).isNotEmpty();
    browser.click("#clone");
    browser.fill("dialog input", OTHER);
    go();
    final String shown = effect();
    assertThat(shown).contains("4 channels would move: 40 changes skipped");
    assertThat(tunnels.seekTunnel(SeekTunnelRequest.toEarliest(TABLE, IDLE)).moves()).isNotEmpty();
    Request dryRun = requests.all().get(0);
    go();
    assertThat(done()).isEqualTo(shown.replace("would move", "moved"));
    assertThat(requests.changes()).containsExactly(dryRun.done());
    assertThat(checkpointed(OTHER)).isEqualTo(ROWS);
  }

  @Test
  void a_clone_to_a_new_tunnel_does_not_replace_one_that_was_made_meanwhile() {
    browser.click("#clone");
    browser.fill("dialog input", "meanwhile");
    go();
    browser.awaitText("dialog .effect", "Tunnel meanwhile does not exist.");
    new TestTable(TABLE, PARTITIONS).createTunnel(tunnels, "meanwhile");
    go();
    browser.awaitText("dialog [role=alert]", "TUNNEL_EXISTS");
    assertThat(requests.changes()).extracting(Request::operation).containsExactly("CREATE_TUNNEL");
    assertThat(isThere("meanwhile")).isTrue();
  }

  @Test
  void a_new_tunnel_that_cannot_be_given_the_progress_is_taken_away_again() {
    browser.script(
        "window.spoil = (operation, body) => operation === 'SEEK'"
            + " ? body.replace(/\"tableId\":\\d+/, '\"tableId\":999999') : body");
    browser.click("#clone");
    browser.fill("dialog input", "spoilt");
    go();
    browser.awaitText("dialog .effect", "Tunnel spoilt does not exist.");
    go();
    browser.awaitText("dialog [role=alert]", "INVALID_REQUEST");
    assertThat(requests.changes())
        .extracting(Request::operation)
        .containsExactly("CREATE_TUNNEL", "SEEK", "DELETE_TUNNEL");
    assertThat(isThere("spoilt")).isFalse();
  }

  @Test
  void progress_is_exported_by_clicks_to_a_file_that_the_command_imports(@TempDir Path directory)
      throws IOException {
    assertThat(tunnels.seekTunnel(SeekTunnelRequest.toLatest(TABLE, IDLE)).moves()).isNotEmpty();
    assertThat(tunnels.seekTunnel(SeekTunnelRequest.toEarliest(TABLE, OTHER)).moves()).isNotEmpty();
    browser.downloadsTo(directory);
    browser.click("#export");
    assertThat(command()).startsWith("tunnel tunnels export --table orders --tunnel idle --out ");
    goThrough();
    assertThat(done()).isEqualTo("Progress of 4 channels exported to orders-idle.json");
    assertThat(requests.all()).isEmpty();
    Path file = directory.resolve("orders-idle.json");
    Poll.until("no file", () -> Files.exists(file));
    ChildProcess imported =
        STAGE.child(
            "import",
            ServerProcess.MAIN,
            List.of(
                "tunnels",
                "import",
                "--server",
                server.endpoint(),
                "--table",
                TABLE,
                "--tunnel",
                OTHER,
                "--in",
                file.toString(),
                "--yes"));
    assertThat(imported.awaitExit()).as(imported.transcript()).isZero();
    assertThat(checkpointed(OTHER)).isEqualTo(ROWS);
  }

  @Test
  void a_session_is_ended_by_clicks_and_its_worker_opens_another() {
    show(CONSUMED);
    browser.awaitText("page-tunnel", "worker " + LoadedTable.MARKUP);
    String button = "[aria-label^='End session ']";
    String session =
        browser.element(button).getDomAttribute("aria-label").substring("End session ".length());
    assertThat(sessions()).contains(session);
    browser.click(button);
    browser.awaitText("dialog h2", "End session " + session);
    assertThat(command())
        .isEqualTo("tunnel tunnels end-session --table orders --tunnel audit --session " + session);
    assertThat(browser.findings()).isEmpty();
    assertThat(requests.all()).isEmpty();
    goThrough();
    assertThat(done()).isEqualTo("session " + session + " ended");
    assertThat(requests.all())
        .containsExactly(
            Requests.of(
                "END_SESSION",
                "{\"table\":\"orders\",\"tunnel\":\"audit\",\"sessionId\":\"" + session + "\"}"));
    Poll.until("the session is still there", () -> !sessions().contains(session));
    Poll.until("the worker does not come back", () -> !sessions().isEmpty());
  }

  private static List<String> sessions() {
    return tunnel(CONSUMED).sessionInfos().stream().map(SessionInfo::clientId).toList();
  }

  @Test
  void retention_becomes_what_was_shown() {
    load("#/tables/" + TABLE, "tbody .bar");
    browser.click("#alter");
    browser.fill("dialog input[name=age]", "36h");
    browser.fill("dialog input[name=size]", "2GiB");
    go();
    browser.awaitText("dialog .effect", "and would be 1 d 12 h and 2.00 GiB");
    assertThat(requests.all()).isEmpty();
    go();
    assertThat(done()).isEqualTo("Retention is 1 d 12 h and 2.00 GiB now.");
    assertThat(requests.all()).hasSize(1);
    String options = requests.all().get(0).payload().toString();
    assertThat(options)
        .contains("\"retentionMs\":129600000")
        .contains("\"retentionBytes\":2147483648");
  }
}
