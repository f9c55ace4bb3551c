package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.console.TestConsole.Browser;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TableList;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services of unusual sizes, and browsers that take nothing: answers and memory stay bounded. */
final class ConsoleSizesTest {

  private static final String MARKUP = "<script>alert(1)</script>";

  private @TempDir Path directory;
  private TestConsole console;
  private String session;

  @BeforeEach
  void open() throws IOException {
    console = new TestConsole(directory, false, ConsoleConfig.DEFAULT);
    Reply me = console.get("/api/me", "");
    session = "Cookie: " + me.cookie() + "\r\nX-Tunnel-Csrf: " + me.csrf() + "\r\n";
  }

  @AfterEach
  void close() throws IOException {
    assertThat(console.get("/health", "").status()).as("health").isEqualTo(200);
    console.close();
  }

  private void answer(byte[] payload) {
    console.forwards.answer = unused -> CompletableFuture.completedFuture(payload);
  }

  @Test
  void names_of_ten_thousand_tables_come_whole() throws IOException {
    List<String> names =
        IntStream.range(0, 10_000).mapToObj(i -> MARKUP + "x".repeat(200) + i).toList();
    answer(Json.encode(new TableList(names)));
    Reply reply = console.post("/api/ask/LIST_TABLES", session, "");
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.head()).contains("content-type: application/json", "nosniff");
    JsonArray tables =
        JsonParser.parseString(reply.body()).getAsJsonObject().getAsJsonArray("tables");
    assertThat(tables).hasSize(10_000);
    assertThat(tables.get(9_999).getAsString()).isEqualTo(names.get(9_999));
  }

  @Test
  void answers_that_browsers_do_not_take_are_bounded_and_make_room_when_they_leave()
      throws IOException {
    answer(("{\"a\":\"" + "x".repeat(6 << 20) + "\"}").getBytes(StandardCharsets.US_ASCII));
    List<Browser> silent = new ArrayList<>();
    String request =
        "POST /api/ask/LIST_TABLES HTTP/1.1\r\nHost: "
            + console.host()
            + "\r\nContent-Type: application/json\r\n"
            + session
            + "Content-Length: 0\r\n\r\n";
    for (int i = 0; i < 12; i++) {
      Browser browser = console.browser();
      browser.send(request);
      silent.add(browser);
    }
    Reply refused = console.post("/api/ask/LIST_TABLES", session, "");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.body()).contains("\"code\":\"BUSY\"", "browsers have not taken");
    assertThat(console.get("/api/me", session).status()).as("small answers fit").isEqualTo(200);
    for (Browser browser : silent) {
      browser.close();
    }
    long endNanos = System.nanoTime() + 60_000_000_000L;
    int status = 0;
    while (status != 200 && System.nanoTime() < endNanos) {
      status = console.post("/api/ask/LIST_TABLES", session, "").status();
    }
    assertThat(status).as("the browsers have left").isEqualTo(200);
  }

  private static TunnelDescription tunnel(String name, int channels, long lagMs) {
    return new TunnelDescription(
        new TunnelInfo(name, name, MARKUP, TunnelType.Stream, StreamStart.EARLIEST, 1),
        IntStream.range(0, channels).mapToObj(i -> channel(i, i == 0 ? lagMs : 0)).toList());
  }

  private static ChannelDescription channel(int partition, long lagMs) {
    return new ChannelDescription(
        "c" + partition,
        partition,
        ChannelStatus.OPEN,
        Optional.empty(),
        Optional.empty(),
        1,
        0,
        0,
        7,
        7,
        -1,
        lagMs,
        ChannelType.Stream,
        false,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void a_snapshot_of_many_tunnels_and_channels_has_the_worst_hundred() throws IOException {
    List<TunnelDescription> tunnels = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      tunnels.add(tunnel("small" + i, 1, 5));
    }
    tunnels.add(tunnel("large", 1_000, 9_000));
    Collections.shuffle(tunnels, new java.util.Random(1));
    console.told.tunnels = tunnels;
    try (Feed feed = new Feed()) {
      console.site.tick();
      String event = feed.next();
      JsonObject snapshot = JsonParser.parseString(event).getAsJsonObject();
      JsonArray listed = snapshot.getAsJsonArray("tunnels");
      assertThat(listed).hasSize(Snapshots.TUNNELS_MAX);
      JsonObject worst = listed.get(0).getAsJsonObject();
      assertThat(worst.get("tunnel").getAsString()).isEqualTo("large");
      assertThat(worst.get("channels").getAsInt()).isEqualTo(1_000);
      assertThat(worst.get("lagChanges").getAsLong()).isEqualTo(7_000);
      assertThat(event.length()).isLessThan(64 << 10);
    }
    assertThat(console.site.figures()).as("before the first step").isEmpty();
    console.gate.epochMs.addAndGet(10_000);
    console.site.tick();
    assertThat(console.site.figures().orElseThrow().tunnels())
        .as("for other nodes, too")
        .hasSize(Snapshots.TUNNELS_MAX);
  }

  /** Takes the snapshots of an open server, or does not. */
  private final class Feed implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Feed() throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), console.port());
      socket.setSoTimeout(60_000);
      in = new BufferedInputStream(socket.getInputStream());
      String request = "GET /api/events HTTP/1.1\r\nHost: " + console.host() + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String unused = line("retry: 1000");
    }

    /** The next line that begins so. */
    private String line(String begin) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next != '\n') {
          line.append((char) next);
        } else if (line.indexOf(begin) == 0) {
          return line.toString();
        } else {
          line.setLength(0);
        }
      }
      throw new IOException("closed");
    }

    String next() throws IOException {
      return line("data: ").substring("data: ".length());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void a_viewer_that_takes_nothing_for_a_minute_is_gone_and_others_get_each_snapshot()
      throws IOException {
    List<TunnelDescription> tunnels = new ArrayList<>();
    for (int i = 0; i < Snapshots.TUNNELS_MAX; i++) {
      tunnels.add(tunnel("x".repeat(2_000) + i, 1, 5));
    }
    console.told.tunnels = tunnels;
    try (Feed silent = new Feed();
        Feed reader = new Feed()) {
      // The buffers of the machine take some snapshots, then the viewer has 60 ticks.
      int ticks = 0;
      while (console.site.viewers() == 2 && ticks < 1_000) {
        console.site.tick();
        assertThat(reader.next()).contains("\"atMs\"");
        ticks++;
      }
      assertThat(console.site.viewers()).isEqualTo(1);
      assertThat(ticks).isGreaterThan(60);
      assertThat(silent.socket.isClosed()).as("closed by the server, not by the test").isFalse();
    }
  }

  @Test
  void columns_of_megabytes_are_cut_and_their_names_are_data() throws IOException {
    List<PrimaryKeySchema> schema = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    BatchBuilder rows = new BatchBuilder(schema, 64);
    assertThat(
            rows.add(
                new RowPutChange(
                    PrimaryKey.builder().add("id", 1).build(),
                    List.of(
                        new Column(MARKUP, ColumnValue.fromString(MARKUP.repeat(80_000))),
                        new Column("b", ColumnValue.fromBinary(new byte[1 << 20]))))))
        .isTrue();
    byte[] page =
        RowPage.encode(Optional.empty(), RowPage.Looked.NOTHING, rows.build(0), Optional.empty());
    byte[] table =
        Json.encode(
            new TableDescription(
                1, new TableMeta("t", schema, TableOptions.DEFAULT), 0, List.of()));
    console.forwards.answer =
        payload -> CompletableFuture.completedFuture(payload[0] == '{' ? table : page);
    Reply reply = console.post("/api/rows", session, "{\"table\":\"t\"}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    assertThat(reply.body().length()).isLessThan(16 << 10);
    JsonObject columns =
        JsonParser.parseString(reply.body())
            .getAsJsonObject()
            .getAsJsonArray("rows")
            .get(0)
            .getAsJsonObject()
            .getAsJsonObject("columns");
    assertThat(columns.getAsJsonObject(MARKUP).get("truncated").getAsInt())
        .isEqualTo(MARKUP.length() * 80_000);
    assertThat(columns.getAsJsonObject("b").get("truncated").getAsInt()).isEqualTo(1 << 20);
  }
}
