package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.TableMeta;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.net.NetConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console of a whole server, over the native protocol to itself. */
final class ServerConsoleTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private @TempDir Path directory;
  private final HttpClient browser =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Server start(String settings) throws IOException {
    Path file = Files.writeString(directory.resolve("settings.json"), settings);
    return Server.alone(
        directory.resolve("data"),
        ServerConfig.defaults(1)
            .withNet(new NetConfig("127.0.0.1", 0, 0, 1, 100, false))
            .withFile(file));
  }

  private static HttpRequest.Builder request(Server server, String path) {
    int port = server.httpAddress().orElseThrow().getPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
  }

  private HttpResponse<String> get(Server server, String path) throws Exception {
    return browser.send(request(server, path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> post(
      Server server, HttpResponse<String> me, String path, String body) throws Exception {
    String csrf = JsonParser.parseString(me.body()).getAsJsonObject().get("csrf").getAsString();
    String cookie = me.headers().firstValue("set-cookie").orElseThrow().split(";", 2)[0];
    return browser.send(
        request(server, path)
            .header("Content-Type", "application/json")
            .header("X-Tunnel-Csrf", csrf)
            .header("Cookie", cookie)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void a_page_asks_the_server_through_the_native_protocol() throws Exception {
    try (Server server = start("{}")) {
      assertThat(get(server, "/").statusCode()).isEqualTo(200);
      HttpResponse<String> me = get(server, "/api/me");
      assertThat(me.body()).contains("\"open\":true", "\"cluster\":false");
      assertThat(post(server, me, "/api/ask/LIST_TABLES", "{}").body())
          .isEqualTo("{\"tables\":[]}");
      assertThat(post(server, me, "/api/ask/LIST_TUNNELS", "").body())
          .isEqualTo("{\"tunnels\":[]}");
      HttpResponse<String> rows = post(server, me, "/api/rows", "{\"table\":\"orders\"}");
      assertThat(rows.statusCode()).isEqualTo(404);
      assertThat(rows.body()).contains("TABLE_NOT_FOUND");
      HttpResponse<String> refused = post(server, me, "/api/ask/PAUSE", "{\"table\":5}");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("INVALID_REQUEST");
    }
  }

  @Test
  void a_page_that_watches_gets_figures_of_the_server() throws Exception {
    try (Server server = start("{}");
        InputStream events =
            browser
                .send(
                    request(server, "/api/events").build(),
                    HttpResponse.BodyHandlers.ofInputStream())
                .body();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (!line.startsWith("data: ")) {
        line = lines.readLine();
      }
      JsonObject snapshot = new Gson().fromJson(line.substring(6), JsonObject.class);
      assertThat(snapshot.getAsJsonObject("health").get("status").getAsString()).isEqualTo("UP");
      assertThat(snapshot.getAsJsonObject("figures").get("heapMaxBytes").getAsLong()).isPositive();
      assertThat(snapshot.getAsJsonObject("figures").get("diskFreeBytes").getAsLong()).isPositive();
    }
  }

  private static void ask(Server server, Operation operation, byte[] payload) throws Exception {
    byte[] unused =
        server
            .forwarding()
            .ask(
                new OnBehalf(Optional.empty(), "127.0.0.1"),
                Optional.empty(),
                operation,
                payload,
                PATIENCE)
            .get(60, TimeUnit.SECONDS);
  }

  @Test
  void a_page_follows_changes_without_a_tunnel() throws Exception {
    try (Server server = start("{}")) {
      TableMeta meta = new TableMeta("orders", TestRows.SCHEMA);
      ask(server, Operation.CREATE_TABLE, Json.encode(new Control.CreateTable(meta, List.of())));
      HttpResponse<String> me = get(server, "/api/me");
      String map = post(server, me, "/api/ask/PARTITION_MAP", "{\"table\":\"orders\"}").body();
      JsonObject table = JsonParser.parseString(map).getAsJsonObject();
      int partition =
          table.getAsJsonArray("partitions").get(0).getAsJsonObject().get("id").getAsInt();
      String about = "{\"table\":\"orders\",\"partition\":" + partition + ",\"after\":";
      JsonObject start = changes(server, me, about + "\"latest\"}");
      JsonObject none = changes(server, me, about + start.get("next") + "}");
      assertThat(none.getAsJsonArray("changes")).isEmpty();
      ChangeBatch rows = TestRows.batch(partition, TestRows.put("<b>"), TestRows.put("b"));
      byte[] write = new byte[WriteRequest.PREFIX_BYTES + rows.byteCount()];
      WriteRequest.writePrefix(write, 0, table.get("tableId").getAsInt(), Optional.empty());
      System.arraycopy(
          rows.array(), rows.offset(), write, WriteRequest.PREFIX_BYTES, rows.byteCount());
      ask(server, Operation.WRITE, write);
      JsonObject got = changes(server, me, about + none.get("next") + "}");
      assertThat(got.getAsJsonArray("changes")).hasSize(2);
      assertThat(got.getAsJsonArray("changes").get(0).toString())
          .contains("\"kind\":\"PUT\"", "\"value\":\"<b>\"");
      JsonObject after = changes(server, me, about + got.get("next") + "}");
      assertThat(after.getAsJsonArray("changes")).isEmpty();
      JsonObject again = changes(server, me, about + none.get("next") + "}");
      assertThat(again.getAsJsonArray("changes")).isEqualTo(got.getAsJsonArray("changes"));
    }
  }

  private JsonObject changes(Server server, HttpResponse<String> me, String body) throws Exception {
    HttpResponse<String> answer = post(server, me, "/api/changes", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JsonParser.parseString(answer.body()).getAsJsonObject();
  }

  @Test
  void the_console_can_be_turned_off_and_health_stays() throws Exception {
    try (Server server = start("{\"console\":{\"isOn\":false}}")) {
      assertThat(get(server, "/").statusCode()).isEqualTo(404);
      assertThat(get(server, "/api/me").statusCode()).isEqualTo(404);
      assertThat(get(server, "/health").statusCode()).isEqualTo(200);
    }
  }
}
