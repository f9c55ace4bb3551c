package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.server.console.TestConsole.Browser;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.server.metrics.DeliveryAges;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots for pages that watch, and the history. */
final class FeedTest {

  private static final int VIEWERS = 60;

  private @TempDir Path directory;
  private TestConsole console;
  private TokenSecret token;
  private String session;

  @BeforeEach
  void open() throws IOException {
    console = new TestConsole(directory, true, ConsoleConfig.DEFAULT);
    console.gate.allow("ada", "cluster", "read");
    token = console.token("ada");
    Reply entered = console.post("/api/login", "", "{\"token\":\"" + token.token() + "\"}");
    session = "Cookie: " + entered.cookie() + "\r\n";
  }

  @AfterEach
  void close() throws IOException {
    console.close();
  }

  private Browser watching() throws IOException {
    Browser browser = console.browser();
    browser.send("GET /api/events HTTP/1.1\r\nHost: " + console.host() + "\r\n" + session + "\r\n");
    assertThat(browser.readUntil("retry: 1000\n\n"))
        .contains("200 OK", "text/event-stream", "no-store", "content-security-policy");
    return browser;
  }

  private void tick(long ms) {
    console.gate.epochMs.addAndGet(ms);
    console.site.tick();
  }

  private static JsonObject snapshot(Browser browser) throws IOException {
    String event = browser.readUntil("}\n\n");
    int at = event.indexOf("data: ") + "data: ".length();
    return JsonParser.parseString(event.substring(at)).getAsJsonObject();
  }

  @Test
  void nobody_watches_and_no_snapshot_is_made() throws IOException {
    for (int i = 0; i < 20; i++) {
      tick(1_000);
    }
    assertThat(console.told.looks.get()).as("looks at tunnels, for the history").isEqualTo(2);
  }

  @Test
  void all_viewers_get_the_bytes_of_one_snapshot_with_rates_per_second() throws IOException {
    List<Browser> viewers = new ArrayList<>();
    for (int i = 0; i < VIEWERS; i++) {
      viewers.add(watching());
    }
    tick(1_000);
    for (Browser viewer : viewers) {
      assertThat(snapshot(viewer).get("health").toString()).contains("UP");
    }
    console.told.totals =
        new ServerMeters.Totals(500, 5_000, 300, 3_000, DeliveryAges.Counts.none());
    int before = console.told.looks.get();
    tick(2_000);
    for (Browser viewer : viewers) {
      JsonObject figures = snapshot(viewer).getAsJsonObject("figures");
      assertThat(figures.get("writtenRows").getAsDouble()).isEqualTo(250);
      assertThat(figures.get("deliveredBytes").getAsDouble()).isEqualTo(1_500);
      assertThat(figures.get("commitToDeliveryP99Ms").isJsonNull()).isTrue();
      assertThat(figures.get("residentBytes").isJsonNull()).isTrue();
      assertThat(figures.get("connections").getAsInt()).isEqualTo(3);
    }
    assertThat(console.told.looks.get() - before).as("made once for all").isLessThanOrEqualTo(2);
    assertThat(console.get("/health", "").status()).isEqualTo(200);
    for (Browser viewer : viewers) {
      viewer.close();
    }
  }

  @Test
  void a_viewer_that_stops_reading_keeps_one_snapshot_and_delays_nobody() throws IOException {
    console.told.tunnels = List.of();
    try (Browser silent = watching();
        Browser reader = watching()) {
      for (int i = 0; i < 50; i++) {
        tick(1_000);
        assertThat(snapshot(reader).get("atMs").getAsLong()).isPositive();
      }
      assertThat(snapshot(silent).get("atMs").getAsLong()).isPositive();
    }
  }

  @Test
  void a_viewer_whose_token_or_right_ends_gets_nothing_more() throws IOException {
    try (Browser viewer = watching()) {
      tick(1_000);
      assertThat(snapshot(viewer).get("node").isJsonNull()).isTrue();
      console.gate.withdraw("ada", "cluster", "read");
      tick(1_000);
      assertThat(viewer.rest()).doesNotContain("snapshot");
    }
    console.gate.allow("ada", "cluster", "read");
    try (Browser viewer = watching()) {
      console.revoke(token);
      tick(1_000);
      assertThat(viewer.rest()).doesNotContain("snapshot");
    }
  }

  @Test
  void figures_need_the_right_to_read_on_the_cluster() throws IOException {
    console.gate.withdraw("ada", "cluster", "read");
    assertThat(console.get("/api/events", session).status()).isEqualTo(403);
    assertThat(console.get("/api/history", session).status()).isEqualTo(403);
    assertThat(console.audit().split("\"outcome\":\"NOT_PERMITTED\"", -1))
        .as("refusals in the audit log, and what is between them")
        .hasSize(3);
    assertThat(console.get("/api/history", "").status()).isEqualTo(401);
  }

  @Test
  void the_history_has_a_value_or_null_for_each_step_of_an_hour() throws IOException {
    for (int i = 0; i < 10; i++) {
      console.told.totals = new ServerMeters.Totals(i * 100, 0, 0, 0, DeliveryAges.Counts.none());
      tick(1_000);
    }
    Reply reply = console.get("/api/history", session);
    JsonObject history = JsonParser.parseString(reply.body()).getAsJsonObject();
    assertThat(history.get("stepMs").getAsLong()).isEqualTo(HistoryCore.STEP_MS);
    assertThat(history.getAsJsonObject("series").keySet()).hasSize(Figure.values().length);
    var rows = history.getAsJsonObject("series").getAsJsonArray("writtenRows");
    assertThat(rows).hasSize(HistoryCore.STEPS_MAX);
    assertThat(rows.get(0).isJsonNull()).isTrue();
    assertThat(rows.get(HistoryCore.STEPS_MAX - 1).getAsDouble()).isEqualTo(100);
  }
}
