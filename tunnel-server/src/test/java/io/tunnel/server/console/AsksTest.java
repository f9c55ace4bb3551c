package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that pages make of the service. */
final class AsksTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(
          new PrimaryKeySchema("user", PrimaryKeyType.STRING),
          new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));

  private @TempDir Path directory;
  private TestConsole console;
  private String cookie;
  private String session;

  @BeforeEach
  void open() throws IOException {
    console = new TestConsole(directory, true, ConsoleConfig.DEFAULT);
    Reply entered =
        console.post("/api/login", "", "{\"token\":\"" + console.token("ada").token() + "\"}");
    cookie = "Cookie: " + entered.cookie() + "\r\n";
    session = cookie + "X-Tunnel-Csrf: " + entered.csrf() + "\r\n";
  }

  @AfterEach
  void close() throws IOException {
    console.close();
  }

  private void answer(String json) {
    console.forwards.answer =
        payload -> CompletableFuture.completedFuture(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void a_request_goes_on_as_it_came_for_the_visitors_principal() throws IOException {
    answer("{\"tables\":[\"<b>\"]}");
    Reply reply = console.post("/api/ask/LIST_TABLES?node=n%20two", session, "{\"a\":1}");
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.body()).isEqualTo("{\"tables\":[\"<b>\"]}");
    assertThat(reply.head()).contains("content-type: application/json", "no-store");
    assertThat(console.forwards.asked)
        .singleElement()
        .satisfies(
            asked -> {
              assertThat(asked.who().principal().orElseThrow().name()).isEqualTo("ada");
              assertThat(asked.who().address()).isEqualTo("127.0.0.1");
              assertThat(asked.node()).contains("n two");
              assertThat(asked.operation()).isEqualTo(Operation.LIST_TABLES);
              assertThat(asked.payload()).isEqualTo("{\"a\":1}");
            });
  }

  @Test
  void an_empty_body_is_an_empty_payload() throws IOException {
    answer("{\"tunnels\":[]}");
    assertThat(console.post("/api/ask/LIST_TUNNELS", session, "").status()).isEqualTo(200);
    assertThat(console.forwards.asked.get(0).payload()).isEmpty();
  }

  @Test
  void an_answer_without_a_payload_is_an_empty_object() throws IOException {
    assertThat(console.post("/api/ask/PAUSE", session, "{}").body()).isEqualTo("{}");
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      names = {
        "HELLO",
        "AUTHENTICATE",
        "CREATE_TABLE",
        "DROP_TABLE",
        "UPGRADE",
        "WRITE",
        "OPEN_WRITER",
        "OPEN_ROW_SESSION",
        "RENEW_ROW_SESSION",
        "CLOSE_ROW_SESSION",
        "LIST_ROW_SESSIONS",
        "END_ROW_SESSION",
        "GET_ROW",
        "GET_ROWS",
        "GET_RANGE",
        "OPEN_SESSION",
        "CREATE_KEY",
        "ROTATE_KEY",
        "GRANT",
        "CREATE_TOKEN",
        "SET_QUOTA"
      })
  void other_operations_are_not_sent(Operation operation) throws IOException {
    assertThat(console.post("/api/ask/" + operation, session, "{}").status()).isEqualTo(404);
    assertThat(console.forwards.asked).isEmpty();
  }

  @Test
  void nothing_is_sent_without_session_csrf_token_or_an_object() throws IOException {
    assertThat(console.post("/api/ask/PAUSE", "", "{}").status()).isEqualTo(401);
    assertThat(console.post("/api/ask/PAUSE", cookie, "{}").status()).isEqualTo(403);
    assertThat(console.post("/api/rows", cookie, "{\"table\":\"t\"}").status()).isEqualTo(403);
    assertThat(console.get("/api/ask/PAUSE", session).status()).isEqualTo(405);
    for (String body : List.of("[]", "{", "x", "{\"a\":1,\"a\":2}", "[".repeat(60_000))) {
      assertThat(console.post("/api/ask/PAUSE", session, body).status()).isEqualTo(400);
    }
    assertThat(console.post("/api/ask/PAUSE?node=a&node=b", session, "{}").status()).isEqualTo(400);
    assertThat(console.post("/api/ask/PAUSE?node=%zz", session, "{}").status()).isEqualTo(400);
    assertThat(console.forwards.asked).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void a_refusal_of_the_node_becomes_a_status_with_code_and_message(ErrorCode code)
      throws IOException {
    console.forwards.answer =
        payload -> CompletableFuture.failedFuture(new RefusedException(code, "why \"so\""));
    Reply reply = console.post("/api/ask/SEEK", session, "{}");
    assertThat(reply.status()).isGreaterThanOrEqualTo(400);
    JsonObject said = JsonParser.parseString(reply.body()).getAsJsonObject();
    assertThat(said.get("code").getAsString()).isEqualTo(code.name());
    assertThat(said.get("message").getAsString()).isEqualTo("why \"so\"");
  }

  @Test
  void a_failure_tells_a_page_nothing_of_its_cause() throws IOException {
    console.forwards.answer =
        payload -> CompletableFuture.failedFuture(new IllegalStateException("secret"));
    Reply reply = console.post("/api/ask/SEEK", session, "{}");
    assertThat(reply.status()).isEqualTo(500);
    assertThat(reply.body()).doesNotContain("secret");
  }

  private static byte[] page(Optional<Bytes> next, long... ids) {
    BatchBuilder rows = new BatchBuilder(SCHEMA, 64);
    for (long id : ids) {
      RowPutChange row =
          new RowPutChange(
              PrimaryKey.builder().add("user", "u").add("id", id).build(),
              List.of(
                  new Column("text", ColumnValue.fromString("é".repeat(1_000))),
                  new Column("bytes", ColumnValue.fromBinary(new byte[2_000])),
                  new Column("big", ColumnValue.fromLong(Long.MAX_VALUE)),
                  new Column(
                      "mixed",
                      id < 0 ? ColumnValue.fromLong(id) : ColumnValue.fromString("at " + id)),
                  new Column("none", ColumnValue.fromDouble(Double.NaN))));
      assertThat(rows.add(row)).isTrue();
    }
    return RowPage.encode(next, RowPage.Looked.NOTHING, rows.build(0), Optional.empty());
  }

  private void serveRows(List<RangeRequest> ranges, List<byte[]> pages) {
    byte[] table =
        Json.encode(
            new TableDescription(
                7, new TableMeta("t", SCHEMA, TableOptions.DEFAULT), 0, List.of()));
    console.forwards.answer =
        payload -> {
          if (payload[0] == '{') {
            return CompletableFuture.completedFuture(table);
          }
          ranges.add(RangeRequest.decode(payload));
          return CompletableFuture.completedFuture(pages.remove(0));
        };
  }

  @Test
  void rows_are_texts_and_long_values_are_cut_and_say_so() throws IOException {
    List<RangeRequest> ranges = new ArrayList<>();
    serveRows(
        ranges,
        new ArrayList<>(
            List.of(
                page(Optional.of(Bytes.fromHex("0561ff"))),
                page(Optional.of(Bytes.fromHex("0561ffff")), Long.MIN_VALUE, 2))));
    Reply reply =
        console.post(
            "/api/rows",
            session,
            "{\"table\":\"t\",\"from\":{\"user\":\"a\"},\"to\":{\"user\":\"b\",\"id\":\"5\"},\"limit\":2}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    JsonObject body = JsonParser.parseString(reply.body()).getAsJsonObject();
    assertThat(body.getAsJsonArray("columns").toString())
        .contains("{\"name\":\"user\",\"types\":[\"STRING\"],\"isKey\":true}")
        .contains("{\"name\":\"big\",\"types\":[\"INTEGER\"],\"isKey\":false}")
        .contains("{\"name\":\"mixed\",\"types\":[\"INTEGER\",\"STRING\"],\"isKey\":false}");
    assertThat(body.getAsJsonArray("rows")).hasSize(2);
    JsonObject first = body.getAsJsonArray("rows").get(0).getAsJsonObject();
    assertThat(first.getAsJsonObject("key").get("id").toString())
        .isEqualTo("{\"type\":\"INTEGER\",\"value\":\"-9223372036854775808\"}");
    JsonObject columns = first.getAsJsonObject("columns");
    assertThat(columns.get("big").toString()).contains("\"9223372036854775807\"");
    assertThat(columns.get("none").toString()).contains("\"NaN\"");
    assertThat(columns.getAsJsonObject("text").get("value").getAsString())
        .isEqualTo("é".repeat(512));
    assertThat(columns.getAsJsonObject("text").get("truncated").getAsInt()).isEqualTo(2_000);
    assertThat(columns.getAsJsonObject("bytes").get("truncated").getAsInt()).isEqualTo(2_000);
    assertThat(body.get("next").getAsString()).isEqualTo("0561ffff");
    assertThat(ranges.get(0).tableId()).isEqualTo(7);
    assertThat(ranges.get(0).from()).isLessThan(ranges.get(0).to());
    assertThat(ranges.get(0).to())
        .isEqualTo(
            KeyCodec.encode(PrimaryKey.builder().add("user", "b").add("id", 5).build(), SCHEMA));
    assertThat(ranges.get(1).from()).as("an empty page goes on").isEqualTo(Bytes.fromHex("0561ff"));
  }

  @Test
  void the_next_of_a_page_is_the_from_of_the_next_page() throws IOException {
    List<RangeRequest> ranges = new ArrayList<>();
    serveRows(ranges, new ArrayList<>(List.of(page(Optional.empty(), 1))));
    Reply reply = console.post("/api/rows", session, "{\"table\":\"t\",\"from\":\"06ff\"}");
    assertThat(JsonParser.parseString(reply.body()).getAsJsonObject().get("next").isJsonNull())
        .isTrue();
    assertThat(ranges.get(0).from()).isEqualTo(Bytes.fromHex("06ff"));
    assertThat(ranges.get(0).to()).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void bounds_that_are_none_are_refused() throws IOException {
    serveRows(new ArrayList<>(), new ArrayList<>());
    for (String body :
        List.of(
            "{}",
            "{\"table\":{}}",
            "{\"table\":\"t\",\"limit\":0}",
            "{\"table\":\"t\",\"limit\":201}",
            "{\"table\":\"t\",\"limit\":\"x\"}",
            "{\"table\":\"t\",\"limit\":\"5\"}",
            "{\"table\":\"t\",\"limit\":1.5}",
            "{\"table\":\"t\",\"limit\":1e999999999}",
            "{\"table\":\"t\",\"limit\":1e-999999999}",
            "{\"table\":\"t\",\"limit\":[5]}",
            "{\"table\":\"t\",\"limit\":null}",
            "{\"table\":\"t\",\"from\":{\"id\":\"5\"}}",
            "{\"table\":\"t\",\"from\":{\"user\":\"a\",\"id\":\"five\"}}",
            "{\"table\":\"t\",\"from\":{\"user\":\"a\",\"more\":\"b\"}}",
            "{\"table\":\"t\",\"from\":{\"user\":[]}}",
            "{\"table\":\"t\",\"from\":{}}",
            "{\"table\":\"t\",\"from\":{\"user\":\"b\"},\"to\":{\"user\":\"a\"}}",
            "{\"table\":\"t\",\"from\":\"xyz\"}",
            "{\"table\":\"t\",\"from\":[1,2]}")) {
      Reply reply = console.post("/api/rows", session, body);
      assertThat(reply.status()).as(body).isEqualTo(400);
      assertThat(reply.body())
          .as(body)
          .contains("\"code\":\"INVALID_REQUEST\"")
          .doesNotContain("For input string");
    }
  }
}
