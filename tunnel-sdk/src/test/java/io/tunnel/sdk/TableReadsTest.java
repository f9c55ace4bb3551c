package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows and ranges of rows that a table client reads. */
class TableReadsTest {

  private final FakeServer server = new FakeServer();

  /** Whether each read was to be strict. */
  private final List<Boolean> strict = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static byte[] batch(List<Long> ids) {
    BatchBuilder builder = new BatchBuilder(FakeTable.meta().primaryKey(), 100);
    for (long id : ids) {
      builder.add(
          new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(id * 10)))));
    }
    return builder.build(1);
  }

  /** A page that looked at seven rows more than it answers. */
  private static byte[] page(Optional<Bytes> next, List<Long> ids) {
    return RowPage.encode(
        next, new RowPage.Looked(ids.size() + 7, 1), batch(ids), Optional.empty());
  }

  /** Serves rows 1 to {@code rows}; a page holds at most 10, and every other page is empty. */
  private void serveRows(int rows) {
    new FakeTable(1, 1).serve(server);
    TreeMap<Bytes, Long> stored = new TreeMap<>();
    for (long id = 1; id <= rows; id++) {
      stored.put(KeyCodec.encode(PrimaryKeyValue.fromLong(id)), id);
    }
    server.on(
        Operation.GET_ROW,
        (connection, frame) -> {
          GetRowRequest request = GetRowRequest.decode(frame.payload());
          strict.add(request.terms().isStrict());
          Long found = stored.get(request.key());
          connection.answer(
              frame, page(Optional.empty(), found == null ? List.of() : List.of(found)));
        });
    AtomicInteger pages = new AtomicInteger();
    server.on(
        Operation.GET_RANGE,
        (connection, frame) -> {
          RangeRequest request = RangeRequest.decode(frame.payload());
          strict.add(request.terms().isStrict());
          boolean isForward = request.direction() == Direction.FORWARD;
          if (pages.getAndIncrement() % 2 == 0) {
            Bytes same = isForward ? orFirst(request.from()) : orLast(request.to());
            connection.answer(frame, page(Optional.of(same), List.of()));
            return;
          }
          var range = stored.subMap(orFirst(request.from()), true, orLast(request.to()), false);
          List<Long> ids =
              (isForward ? range : range.descendingMap())
                  .values().stream().limit(Math.min(10, request.rowsMax())).toList();
          boolean isLast = ids.size() == range.size();
          Optional<Bytes> next =
              isLast
                  ? Optional.empty()
                  : Optional.of(
                      KeyCodec.encode(
                          PrimaryKeyValue.fromLong(ids.get(ids.size() - 1) + (isForward ? 1 : 0))));
          connection.answer(frame, page(next, ids));
        });
  }

  private static Bytes orFirst(Bytes bound) {
    return bound.length() > 0 ? bound : KeyCodec.encode(PrimaryKeyValue.fromLong(Long.MIN_VALUE));
  }

  private static Bytes orLast(Bytes bound) {
    return bound.length() > 0 ? bound : KeyCodec.encode(PrimaryKeyValue.fromLong(Long.MAX_VALUE));
  }

  private static List<Long> ids(RowRange range) {
    List<Long> ids = new ArrayList<>();
    for (Row row : range) {
      long id = row.primaryKey().getPrimaryKeyColumn(0).getValue().asLong();
      assertThat(row.value("v").orElseThrow().asLong()).isEqualTo(id * 10);
      ids.add(id);
    }
    return ids;
  }

  @Test
  void a_row_is_there_or_not() {
    serveRows(5);
    try (TableClient client = TableClient.connect(server.config())) {
      assertThat(client.getRow("t", key(3)).orElseThrow().value("v").orElseThrow().asLong())
          .isEqualTo(30);
      assertThat(client.getRow("t", key(6))).isEmpty();
      PrimaryKey wrong = PrimaryKey.builder().add("id", "text").build();
      assertThatThrownBy(() -> client.getRow("t", wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("does not match");
    }
  }

  @Test
  void reads_are_strict_where_that_is_asked_for() {
    serveRows(5);
    try (TableClient client = TableClient.connect(server.config())) {
      assertThat(client.getRow("t", key(3), ReadMode.STRICT)).isPresent();
      assertThat(client.getRowAsync("t", key(3)).join()).isPresent();
      assertThat(strict).containsExactly(true, false);
      strict.clear();
      assertThat(ids(client.getRange("t", RangeQuery.ALL.withMode(ReadMode.STRICT).backward())))
          .hasSize(5);
      assertThat(strict).as("each page").hasSizeGreaterThan(1).containsOnly(true);
      strict.clear();
      assertThat(ids(client.getRange("t", RangeQuery.ALL))).hasSize(5);
      assertThat(strict).containsOnly(false);
    }
  }

  @Test
  void a_range_is_read_page_by_page_in_both_directions() {
    serveRows(35);
    try (TableClient client = TableClient.connect(server.config())) {
      assertThat(ids(client.getRange("t", RangeQuery.ALL))).hasSize(35).isSorted();
      assertThat(ids(client.getRange("t", RangeQuery.ALL.backward().withPageRows(7))))
          .hasSize(35)
          .startsWith(35L)
          .endsWith(1L);
      RangeQuery some = RangeQuery.ALL.from(key(3)).to(key(30));
      assertThat(ids(client.getRange("t", some))).hasSize(27).startsWith(3L).endsWith(29L);
      assertThat(ids(client.getRange("t", some.backward().withLimit(12))))
          .hasSize(12)
          .startsWith(29L)
          .endsWith(18L);
      assertThat(ids(client.getRange("t", some.withLimit(0)))).isEmpty();
      RowRange twice = client.getRange("t", some);
      assertThat(ids(twice)).isEqualTo(ids(twice));
      RangeQuery wrong = RangeQuery.ALL.from(PrimaryKey.builder().add("other", 1).build());
      assertThatThrownBy(() -> client.getRange("t", wrong).iterator())
          .hasMessageContaining("does not name the first columns");
    }
  }

  @Test
  void reads_find_a_table_that_was_made_anew() {
    serveRows(3);
    try (TableClient client = TableClient.connect(server.config())) {
      assertThat(client.getRow("t", key(3))).isPresent();
      new FakeTable(2, 7).serve(server);
      server.on(
          Operation.GET_ROW,
          (connection, frame) -> {
            if (GetRowRequest.decode(frame.payload()).tableId() == 2) {
              connection.answer(frame, page(Optional.empty(), List.of(3L)));
            } else {
              connection.refuse(frame, ErrorCode.TABLE_NOT_FOUND);
            }
          });
      assertThat(client.getRow("t", key(3))).isPresent();
    }
  }
}
