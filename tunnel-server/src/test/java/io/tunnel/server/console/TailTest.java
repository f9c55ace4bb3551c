package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.console.TestConsole.Reply;
import io.tunnel.server.forward.Forwarding.Changes;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of changes, each from the position behind which the page before ended. */
final class TailTest {

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
    PartitionDescription partition =
        new PartitionDescription(
            5, Bytes.EMPTY, Bytes.EMPTY, List.of(), 0, true, 0, 0, 0, 0, Optional.empty());
    byte[] table =
        Json.encode(
            new TableDescription(
                7, new TableMeta("t", SCHEMA, TableOptions.DEFAULT), 0, List.of(partition)));
    console.forwards.answer = payload -> CompletableFuture.completedFuture(table);
  }

  @AfterEach
  void close() throws IOException {
    console.close();
  }

  private static PrimaryKey key(String user, long id) {
    return PrimaryKey.builder().add("user", user).add("id", id).build();
  }

  /** A batch of changes from position 1 on. */
  private static ChangeBatch batch(RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 64);
    Arrays.stream(rows).forEach(row -> assertThat(builder.add(row)).isTrue());
    byte[] array = builder.build(5);
    BatchBuilder.stamp(array, 0, 1, 1_700_000_000_000_000L);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private void deliver(long firstPosition, ChangeBatch... batches) {
    Delivery delivery = new Delivery(1, 0, firstPosition, List.of(batches));
    console.forwards.changes =
        from ->
            CompletableFuture.completedFuture(
                new Changes(Optional.of(3L), OptionalLong.empty(), Optional.of(delivery)));
  }

  private Reply post(String more) throws IOException {
    return console.post("/api/changes", session, "{\"table\":\"t\",\"partition\":5" + more + "}");
  }

  private JsonObject changes(String more) throws IOException {
    Reply reply = post(more);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return JsonParser.parseString(reply.body()).getAsJsonObject();
  }

  private static String behind(long position) {
    return ",\"after\":{\"position\":" + position + "}";
  }

  private static long next(JsonObject page) {
    return page.getAsJsonObject("next").get("position").getAsLong();
  }

  @Test
  void changes_have_typed_texts_and_go_on_behind_the_last_one() throws IOException {
    ChangeBatch all =
        batch(
            new RowPutChange(
                key("<b>", Long.MAX_VALUE),
                List.of(
                    new Column("text", ColumnValue.fromString("é".repeat(1_000))),
                    new Column("on", ColumnValue.fromBoolean(true)))),
            new RowUpdateChange(
                key("u", 2),
                List.of(
                    new ColumnUpdate.Put("n", ColumnValue.fromLong(7)),
                    new ColumnUpdate.Delete("gone"))),
            new RowDeleteChange(key("u", 3)));
    deliver(1, all);
    JsonObject page = changes(behind(0));
    JsonArray got = page.getAsJsonArray("changes");
    assertThat(got).hasSize(3);
    assertThat(got.get(0).getAsJsonObject().get("atMs").getAsLong()).isEqualTo(1_700_000_000_000L);
    assertThat(got.get(2).getAsJsonObject().get("kind").getAsString()).isEqualTo("DELETE");
    assertThat(next(page)).isEqualTo(all.lastPosition());
    assertThat(page.getAsJsonObject("next").get("incarnation").getAsString()).isEqualTo("3");
    assertThat(got.get(0).getAsJsonObject().get("position").getAsLong()).isEqualTo(1);
    String text = got.toString();
    assertThat(text).contains("\"removed\":[\"gone\"]", "{\"type\":\"INTEGER\",\"value\":\"7\"}");
  }

  @Test
  void the_position_that_is_asked_for_and_its_incarnation_go_to_the_leader() throws IOException {
    assertThat(next(changes(",\"after\":{\"position\":\"41\",\"incarnation\":\"6\"}")))
        .as("nothing came")
        .isEqualTo(41);
    assertThat(console.forwards.reads.get(0).position()).isEqualTo(41);
    assertThat(console.forwards.reads.get(0).known()).contains(new KnownPosition(41, 6));
    assertThat(console.forwards.reads.get(0).partition()).isEqualTo(5);
    JsonObject unknown = changes(",\"after\":{\"position\":41,\"incarnation\":null}");
    assertThat(unknown.getAsJsonObject("next").get("incarnation").isJsonNull()).isTrue();
    assertThat(console.forwards.reads.get(1).known()).isEmpty();
  }

  @Test
  void a_page_that_is_full_goes_on_inside_of_the_delivery() throws IOException {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      rows.add(new RowDeleteChange(key("u", i)));
    }
    ChangeBatch all = batch(rows.toArray(RowChange[]::new));
    deliver(1, all);
    long position = 0;
    long seen = 0;
    while (position < all.lastPosition()) {
      JsonObject page = changes(behind(position));
      assertThat(page.getAsJsonArray("changes")).hasSizeLessThanOrEqualTo(ChangesPage.CHANGES_MAX);
      assertThat(
              page.getAsJsonArray("changes").get(0).getAsJsonObject().get("position").getAsLong())
          .isEqualTo(position + 1);
      seen += page.getAsJsonArray("changes").size();
      position = next(page);
    }
    assertThat(seen).isEqualTo(500);
    assertThat(console.forwards.reads).hasSize(3);
  }

  @Test
  void large_changes_fill_a_page_and_columns_beyond_64_are_counted() throws IOException {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      columns.add(new Column("c" + i, ColumnValue.fromBinary(new byte[2_000])));
    }
    ChangeBatch all =
        batch(
            new RowPutChange(key("u", 0), columns),
            new RowPutChange(key("u", 1), columns),
            new RowPutChange(key("u", 2), columns),
            new RowPutChange(key("u", 3), columns));
    deliver(1, all);
    JsonArray got = changes(behind(0)).getAsJsonArray("changes");
    assertThat(got).hasSize(2);
    JsonObject first = got.get(0).getAsJsonObject();
    assertThat(first.getAsJsonObject("columns").size()).isEqualTo(ChangesPage.COLUMNS_MAX);
    assertThat(first.get("omitted").getAsInt()).isEqualTo(36);
    assertThat(first.getAsJsonObject("columns").get("c0").toString()).contains("2000");
  }

  @Test
  void a_filter_shows_changes_of_a_key_and_passes_all_others() throws IOException {
    ChangeBatch all =
        batch(
            new RowDeleteChange(key("zoe", 1)),
            new RowDeleteChange(key("ada", 1)),
            new RowDeleteChange(key("adam", 1)),
            new RowDeleteChange(key("ada", 2)),
            new RowDeleteChange(key("bob", 2)));
    deliver(1, all);
    JsonObject ofAda = changes(behind(0) + ",\"key\":{\"user\":\"ada\"}");
    assertThat(ofAda.getAsJsonArray("changes")).hasSize(2);
    assertThat(next(ofAda)).isEqualTo(all.lastPosition());
    JsonObject one = changes(behind(0) + ",\"key\":{\"user\":\"ada\",\"id\":\"2\"}");
    assertThat(one.getAsJsonArray("changes")).hasSize(1);
    assertThat(one.getAsJsonArray("changes").get(0).toString())
        .contains("{\"type\":\"INTEGER\",\"value\":\"2\"}");
  }

  @Test
  void a_settled_position_is_gone_on_behind() throws IOException {
    console.forwards.changes =
        from ->
            CompletableFuture.completedFuture(
                new Changes(Optional.of(3L), OptionalLong.of(90), Optional.empty()));
    assertThat(next(changes(behind(41)))).isEqualTo(90);
  }

  @Test
  void a_page_begins_at_an_edge_or_a_moment() throws IOException {
    CompletableFuture<byte[]> table = console.forwards.answer.apply(new byte[0]);
    byte[] found =
        Json.encode(
            new FoundPositions(
                7,
                List.of(
                    new Positions(4, 1, 1, Optional.empty(), Optional.of(1L)),
                    new Positions(5, 10, 99, Optional.of(50L), Optional.of(8L))),
                0));
    console.forwards.answer =
        payload ->
            console.forwards.asked.get(console.forwards.asked.size() - 1).operation()
                    == Operation.FIND_POSITIONS
                ? CompletableFuture.completedFuture(found)
                : table;
    assertThat(next(changes(",\"after\":\"earliest\""))).isEqualTo(10);
    JsonObject latest = changes(",\"after\":\"latest\"");
    assertThat(next(latest)).isEqualTo(99);
    assertThat(latest.getAsJsonObject("next").get("incarnation").getAsString()).isEqualTo("8");
    assertThat(next(changes(",\"after\":{\"timeMs\":1234}"))).isEqualTo(50);
    assertThat(console.forwards.asked.get(5).payload()).contains("1234");
    assertThat(console.forwards.reads).isEmpty();
  }

  @Test
  void lost_history_is_a_refusal_with_its_reason() throws IOException {
    console.forwards.changes =
        from ->
            CompletableFuture.failedFuture(
                new RefusedException(ErrorCode.HISTORY_LOST, "up to 40 are gone"));
    Reply reply = post(behind(1));
    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.body()).contains("HISTORY_LOST", "up to 40 are gone");
  }

  @Test
  void requests_that_name_no_change_are_refused_and_nothing_is_read() throws IOException {
    for (String more :
        List.of(
            "",
            ",\"after\":null",
            ",\"after\":7",
            ",\"after\":\"now\"",
            ",\"after\":{}",
            ",\"after\":[]",
            ",\"after\":{\"position\":-1}",
            ",\"after\":{\"position\":1.5}",
            ",\"after\":{\"position\":\"9223372036854775808\"}",
            ",\"after\":{\"position\":1,\"incarnation\":\"x\"}",
            ",\"after\":{\"timeMs\":-5}",
            behind(1) + ",\"key\":{\"id\":\"2\"}")) {
      assertThat(post(more).status()).as(more).isEqualTo(400);
    }
    assertThat(console.post("/api/changes", session, "{\"table\":\"t\",\"partition\":6}").body())
        .contains("NOT_FOUND", "no partition 6");
    assertThat(console.post("/api/changes", cookie, "{\"table\":\"t\"}").status()).isEqualTo(403);
    assertThat(console.post("/api/changes", "", "{\"table\":\"t\"}").status()).isEqualTo(401);
    assertThat(console.get("/api/changes", session).status()).isEqualTo(405);
    assertThat(console.forwards.reads).isEmpty();
  }
}
