package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.console.TestConsole.Browser;
import io.tunnel.server.console.TestConsole.Forwarded;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.server.metrics.DeliveryAges;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.FigureValue;
import io.tunnel.wire.control.ClusterControl.GoneNode;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodeFigures;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.TunnelLag;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot has the figures of all nodes, as far as they answer. */
final class NodesOfSnapshotTest {

  private static final long HOUR_MS = 3_600_000;

  private @TempDir Path directory;
  private TestConsole console;
  private String session;

  @BeforeEach
  void open() throws IOException {
    console = new TestConsole(directory, true, ConsoleConfig.DEFAULT);
    console.gate.allow("ada", "cluster", "read");
    Reply entered =
        console.post("/api/login", "", "{\"token\":\"" + console.token("ada").token() + "\"}");
    session = "Cookie: " + entered.cookie() + "\r\n";
    console.told.cluster =
        Optional.of(
            new ClusterDescription(
                "c",
                1,
                "n1",
                List.of(node("n1"), node("n2"), node("n3")),
                List.of(new GoneNode("n9", "n9:7650", 77)),
                1));
  }

  @AfterEach
  void close() throws IOException {
    console.close();
  }

  private static NodeDescription node(String name) {
    return new NodeDescription(name, "i", name + ":7650", false, List.of(), List.of(), 0, false, 1);
  }

  private static byte[] status(String name, long atMs, double writtenRows, double lagSeconds) {
    return Json.encode(
        new NodeStatus(
            name,
            List.of(),
            Optional.of(
                new NodeFigures(
                    atMs,
                    List.of(
                        new FigureValue("writtenRows", writtenRows),
                        new FigureValue("diskFreeBytes", 5),
                        new FigureValue("a figure of a later version", 1)),
                    List.of(
                        new TunnelLag(
                            "t",
                            "of " + name,
                            Optional.of(lagSeconds),
                            3,
                            4,
                            0,
                            0,
                            1,
                            Optional.empty()))))));
  }

  private Browser watching() throws IOException {
    Browser browser = console.browser();
    browser.send("GET /api/events HTTP/1.1\r\nHost: " + console.host() + "\r\n" + session + "\r\n");
    browser.readUntil("retry: 1000\n\n");
    return browser;
  }

  private JsonObject next(Browser browser) throws IOException {
    console.gate.epochMs.addAndGet(1_000);
    console.gate.nanos.addAndGet(1_000_000_000L);
    console.site.tick();
    String event = browser.readUntil("}\n\n");
    return JsonParser.parseString(event.substring(event.indexOf("data: ") + 6)).getAsJsonObject();
  }

  private static JsonObject node(JsonObject snapshot, int index) {
    return snapshot.getAsJsonArray("nodes").get(index).getAsJsonObject();
  }

  @Test
  void each_node_has_its_figures_and_all_nodes_together_theirs() throws IOException {
    console.forwards.answerOf =
        node ->
            CompletableFuture.completedFuture(
                node.equals("n2") ? status("n2", 5, 20, 1) : status("n3", 6, 300, 9));
    try (Browser browser = watching()) {
      next(browser);
      console.told.totals = new ServerMeters.Totals(1, 0, 0, 0, DeliveryAges.Counts.none());
      JsonObject snapshot = next(browser);
      assertThat(node(snapshot, 0).get("name").getAsString()).isEqualTo("n1");
      assertThat(node(snapshot, 0).get("figures")).isEqualTo(snapshot.get("figures"));
      assertThat(node(snapshot, 1).toString())
          .contains("\"address\":\"n2:7650\"", "\"atMs\":5", "\"missingSinceMs\":null");
      JsonObject third = node(snapshot, 2).getAsJsonObject("figures");
      assertThat(third.get("writtenRows").getAsInt()).isEqualTo(300);
      assertThat(third.get("cpuShare").isJsonNull()).isTrue();
      assertThat(third.get("worstTunnel").getAsString()).isEqualTo("t/of n3");
      assertThat(third.keySet()).doesNotContain("a figure of a later version");
      assertThat(node(snapshot, 3).toString())
          .contains("\"name\":\"n9\"", "\"figures\":null", "\"missingSinceMs\":77");
      JsonObject all = snapshot.getAsJsonObject("all");
      assertThat(all.get("writtenRows").getAsInt()).as("a sum").isEqualTo(321);
      assertThat(all.get("diskFreeBytes").getAsInt()).as("the least").isEqualTo(5);
      assertThat(all.get("worstTunnel").getAsString()).isEqualTo("t/of n3");
      assertThat(snapshot.getAsJsonArray("tunnels").toString())
          .contains("\"tunnel\":\"of n2\"", "\"lagSeconds\":9");
    }
    assertThat(console.forwards.asked)
        .allSatisfy(
            asked -> {
              assertThat(asked.operation()).isEqualTo(Operation.DESCRIBE_NODE);
              assertThat(asked.who().principal().orElseThrow().name()).isEqualTo("ada");
              assertThat(asked.payload()).isEqualTo("{\"part\":\"FIGURES\"}");
            });
    assertThat(console.forwards.asked.stream().map(Forwarded::node))
        .containsExactly(
            Optional.of("n2"), Optional.of("n3"), Optional.of("n2"), Optional.of("n3"));
  }

  @Test
  void a_node_that_hangs_or_refuses_delays_no_snapshot_and_is_missing_since_then()
      throws IOException {
    console.forwards.answerOf =
        node ->
            node.equals("n2")
                ? new CompletableFuture<>()
                : CompletableFuture.failedFuture(
                    new RefusedException(ErrorCode.NOT_PERMITTED, "not you"));
    try (Browser browser = watching()) {
      JsonObject first = next(browser);
      long beganMs = first.get("atMs").getAsLong();
      assertThat(node(first, 1).get("missingSinceMs").isJsonNull()).as("may answer yet").isTrue();
      JsonObject snapshot = first;
      for (int i = 0; i < 9; i++) {
        snapshot = next(browser);
      }
      assertThat(node(snapshot, 1).get("missingSinceMs").getAsLong()).isEqualTo(beganMs);
      assertThat(node(snapshot, 1).get("figures").isJsonNull()).isTrue();
      assertThat(node(snapshot, 2).get("why").getAsString()).isEqualTo("not you");
      assertThat(snapshot.getAsJsonObject("all").get("diskFreeBytes").getAsDouble())
          .as("of this node alone")
          .isEqualTo(1e12);
    }
    assertThat(console.forwards.asked.stream().filter(asked -> asked.node().get().equals("n2")))
        .as("one request at a time")
        .hasSize(1);
    assertThat(console.forwards.asked.stream().filter(asked -> asked.node().get().equals("n3")))
        .as("after a failure, one in 5 s")
        .hasSize(2);
  }

  @Test
  void answers_that_are_none_are_told_as_a_failure() throws IOException {
    console.forwards.answerOf =
        node ->
            CompletableFuture.completedFuture(
                node.equals("n2")
                    ? new byte[] {'x'}
                    : Json.encode(new NodeStatus("n3", List.of())));
    try (Browser browser = watching()) {
      JsonObject snapshot = next(browser);
      for (int i = 0; i < 6; i++) {
        snapshot = next(browser);
      }
      assertThat(node(snapshot, 1).get("why").getAsString()).contains("NodeStatus");
      assertThat(node(snapshot, 2).get("why").getAsString()).contains("without a console");
    }
  }

  @Test
  void clocks_that_differ_by_an_hour_change_no_rate_and_make_nobody_missing() throws IOException {
    console.gate.epochMs.addAndGet(10 * HOUR_MS);
    console.site.tick();
    console.forwards.answerOf =
        node ->
            CompletableFuture.completedFuture(
                status(
                    node,
                    console.gate.epochMs.get() + (node.equals("n2") ? HOUR_MS : -HOUR_MS),
                    7,
                    1));
    try (Browser browser = watching()) {
      next(browser);
      // The clock of this server is set back by an hour, and forward again.
      console.gate.epochMs.addAndGet(-HOUR_MS);
      JsonObject back = next(browser);
      assertThat(back.getAsJsonObject("figures").get("writtenRows").isJsonNull())
          .as("no rate of a time that went back")
          .isTrue();
      for (int i = 0; i < 6; i++) {
        back = next(browser);
      }
      assertThat(back.getAsJsonObject("figures").get("writtenRows").getAsInt()).isZero();
      console.gate.epochMs.addAndGet(HOUR_MS);
      JsonObject snapshot = next(browser);
      for (int i = 1; i <= 2; i++) {
        assertThat(node(snapshot, i).get("missingSinceMs").isJsonNull()).isTrue();
        assertThat(node(snapshot, i).getAsJsonObject("figures").get("writtenRows").getAsInt())
            .isEqualTo(7);
      }
      assertThat(node(snapshot, 1).get("atMs").getAsLong() - snapshot.get("atMs").getAsLong())
          .as("the page can tell how far the clocks differ")
          .isBetween(HOUR_MS - 2_000, HOUR_MS + 2_000);
    }
  }

  @Test
  void nobody_watches_and_no_node_is_asked() throws IOException {
    for (int i = 0; i < 10; i++) {
      console.gate.nanos.addAndGet(1_000_000_000L);
      console.gate.epochMs.addAndGet(1_000);
      console.site.tick();
    }
    assertThat(console.forwards.asked).isEmpty();
    assertThat(console.site.figures().orElseThrow().atMs())
        .as("its own figures are there for others")
        .isPositive();
  }
}
