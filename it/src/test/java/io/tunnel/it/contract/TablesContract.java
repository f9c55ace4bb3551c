package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.codec.KeyCodec;
import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.ReadMode;
import io.tunnel.sdk.RowRange;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.PartitionFigures;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableDifference;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.GetRowsRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.ReadTerms;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is true of tables and rows. */
abstract class TablesContract extends Contract {

  @Test
  void a_table_has_a_partition_more_than_split_points_with_ids_of_their_own() {
    TableInfo first = table(10, 20);
    TableInfo second = table();
    assertThat(first.partitions()).hasSize(3);
    assertThat(second.partitions()).hasSize(1);
    assertThat(first.tableId()).isNotEqualTo(second.tableId());
    assertThat(first.partitions())
        .extracting(PartitionInfo::id)
        .doesNotContain(second.partitions().get(0).id())
        .doesNotHaveDuplicates();
    assertThat(tables().listTables()).contains(first.meta().name(), second.meta().name());
  }

  @Test
  void a_second_table_of_a_name_is_refused() {
    TableInfo table = table();
    assertRefused(
        ErrorCode.TABLE_EXISTS, () -> tables().createTable(meta(table.meta().name()), List.of()));
  }

  @Test
  void split_points_rise_and_are_of_the_key_s_type() {
    List<PrimaryKeyValue> falling =
        List.of(PrimaryKeyValue.fromLong(2), PrimaryKeyValue.fromLong(1));
    assertRefused(ErrorCode.INVALID_REQUEST, () -> tables().createTable(meta(newName()), falling));
    List<PrimaryKeyValue> text = List.of(PrimaryKeyValue.fromString("m"));
    assertRefused(ErrorCode.KEY_MISMATCH, () -> tables().createTable(meta(newName()), text));
  }

  @Test
  void a_dropped_table_is_gone_with_its_tunnels_and_its_name_is_free() {
    TableInfo table = table();
    String name = table.meta().name();
    var unused = stream(table, "audit");
    tables().dropTable(name);
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> tables().describeTable(name));
    assertRefused(ErrorCode.TABLE_NOT_FOUND, () -> tables().dropTable(name));
    TableInfo again = tables().createTable(meta(name), List.of());
    assertThat(again.tableId()).isNotEqualTo(table.tableId());
    assertRefused(ErrorCode.TUNNEL_NOT_FOUND, () -> channels(again, "audit").now());
  }

  @Test
  void a_table_or_tunnel_that_may_be_there_is_created_once() {
    TableInfo table = table();
    String name = table.meta().name();
    TableInfo found = tables().createTableIfAbsent(new CreateTableRequest(meta(name), List.of()));
    assertThat(found.tableId()).isEqualTo(table.tableId());
    tables().dropTable(name);
    TableInfo made = tables().createTableIfAbsent(new CreateTableRequest(meta(name), List.of()));
    assertThat(made.tableId()).isNotEqualTo(table.tableId());
    assertThat(made.differences()).isEmpty();
    TableInfo other =
        tables()
            .createTableIfAbsent(
                CreateTableRequest.builder(name)
                    .key("id", PrimaryKeyType.INTEGER)
                    .retention(Duration.ofDays(1))
                    .splitPoint(7)
                    .build());
    assertThat(other.tableId()).isEqualTo(made.tableId());
    assertThat(other.differences())
        .extracting(TableDifference::toString)
        .containsExactly("retention 0 ms instead of 86400000 ms", "splitPoints [] instead of [7]");
    CreateTunnelRequest audit = new CreateTunnelRequest(name, "audit", TunnelType.Stream);
    String id = tunnels().createTunnelIfAbsent(audit).getTunnelId();
    assertThat(tunnels().createTunnelIfAbsent(audit).getTunnelId()).isEqualTo(id);
  }

  /** Both callers have read the options before the first change. */
  @Test
  void changes_of_different_options_do_not_undo_each_other() {
    TableInfo table = table();
    String name = table.meta().name();
    OptionsChange hour = new OptionsChange().withRetention(Duration.ofHours(1));
    OptionsChange os = new OptionsChange().withDurability(Durability.OS);
    var unused = tables().alterTable(name, hour);
    TableOptions both = tables().alterTable(name, os).meta().options();
    assertThat(both).isEqualTo(os.over(hour.over(table.meta().options())));
    assertThat(tables().partitionMap(name).meta().options()).isEqualTo(both);
    assertThatThrownBy(() -> tables().alterTable(name, new OptionsChange()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("names no option");
  }

  @Test
  void applied_rows_have_rising_positions_in_each_partition() {
    TableInfo table = table(10);
    List<RowResult> results =
        tables()
            .write(table.meta().name(), List.of(put(1, 1), put(11, 1), put(2, 2), put(12, 2)))
            .results();
    assertThat(results).extracting(RowResult::outcome).containsOnly(Outcome.APPLIED);
    assertThat(results.get(2).position()).isGreaterThan(results.get(0).position());
    assertThat(results.get(3).position()).isGreaterThan(results.get(1).position());
    assertThat(tables().describeTable(table.meta().name()).partitions())
        .extracting(partition -> partition.figures().orElseThrow())
        .extracting(PartitionFigures::rowCount, PartitionFigures::committed)
        .containsExactly(
            tuple(2L, results.get(2).position()), tuple(2L, results.get(3).position()));
  }

  @Test
  void a_row_whose_condition_does_not_hold_is_rejected_alone() {
    TableInfo table = table();
    RowPutChange fresh =
        new RowPutChange(
            key(1),
            List.of(new Column("v", ColumnValue.fromLong(1))),
            RowExistenceExpectation.EXPECT_NOT_EXIST);
    RowDeleteChange missing = new RowDeleteChange(key(2), RowExistenceExpectation.EXPECT_EXIST);
    BatchWriteResult result =
        tables().tryWrite(table.meta().name(), List.of(fresh, fresh, missing, put(3, 3)));
    assertThat(result.results())
        .extracting(RowResult::outcome)
        .containsExactly(Outcome.APPLIED, Outcome.REJECTED, Outcome.REJECTED, Outcome.APPLIED);
    assertThat(result.results().get(1).error()).contains(ErrorCode.CONDITION_FAILED);
  }

  @Test
  void a_row_is_changed_where_the_condition_on_its_columns_holds() {
    TableInfo table = table();
    String name = table.meta().name();
    Condition seven = Condition.parse("v = 7");
    write(table, put(1, 7), put(2, 8));
    RowDeleteChange absent = new RowDeleteChange(key(3));
    BatchWriteResult result =
        tables()
            .tryWrite(
                name,
                List.of(
                    put(1, 9).onlyIf(seven),
                    put(1, 10).onlyIf(seven),
                    update(2, 11).onlyIf(Condition.parse("v > 7 and id = 2")),
                    new RowDeleteChange(key(2)).onlyIf(Condition.parse("v != 11")),
                    absent.onlyIf(Condition.parse("exists v")),
                    put(4, 4).onlyIf(Condition.parse("not exists v"))));
    assertThat(result.results())
        .extracting(RowResult::outcome)
        .containsExactly(
            Outcome.APPLIED,
            Outcome.REJECTED,
            Outcome.APPLIED,
            Outcome.REJECTED,
            Outcome.REJECTED,
            Outcome.APPLIED);
    assertThat(result.results().get(1).error()).contains(ErrorCode.CONDITION_FAILED);
    assertThat(value(name, 1)).isEqualTo(9);
    assertThat(value(name, 2)).isEqualTo(11);
    assertThat(tables().getRow(name, key(3))).isEmpty();
    assertThat(value(name, 4)).isEqualTo(4);
  }

  @Test
  void a_condition_that_rows_cannot_meet_is_refused_with_its_row_alone() {
    TableInfo table = table();
    Condition ofChange = Condition.parse("before.v = 1");
    List<RowResult> results =
        tables()
            .tryWrite(
                table.meta().name(), List.of(put(1, 1), put(2, 2).onlyIf(ofChange), put(3, 3)))
            .results();
    assertThat(results)
        .extracting(RowResult::outcome)
        .containsExactly(Outcome.APPLIED, Outcome.REJECTED, Outcome.APPLIED);
    assertThat(results.get(1).error()).contains(ErrorCode.INVALID_REQUEST);
    assertThat(results.get(1).message()).contains("before.v");
  }

  private long value(String table, long id) {
    return tables().getRow(table, key(id)).orElseThrow().value("v").orElseThrow().asLong();
  }

  private static RowUpdateChange update(long id, long value) {
    return new RowUpdateChange(
        key(id), List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(value))));
  }

  @Test
  void an_update_sets_and_removes_columns_and_creates_the_row() {
    TableInfo table = table();
    String name = table.meta().name();
    write(
        table,
        new RowPutChange(
            key(1),
            List.of(
                new Column("v", ColumnValue.fromLong(1)),
                new Column("w", ColumnValue.fromString("x")))),
        new RowUpdateChange(
            key(1),
            List.of(
                new ColumnUpdate.Put("v", ColumnValue.fromLong(2)), new ColumnUpdate.Delete("w"))),
        new RowUpdateChange(key(2), List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(3)))));
    Row first = tables().getRow(name, key(1)).orElseThrow();
    assertThat(first.columns()).containsExactly(new Column("v", ColumnValue.fromLong(2)));
    assertThat(tables().getRow(name, key(2)).orElseThrow().value("v"))
        .hasValue(ColumnValue.fromLong(3));
  }

  @Test
  void a_deleted_row_is_not_read_and_deleting_nothing_is_a_change_too() {
    TableInfo table = table();
    write(table, put(1, 1), new RowDeleteChange(key(1)), new RowDeleteChange(key(2)));
    assertThat(tables().getRow(table.meta().name(), key(1))).isEmpty();
    PartitionInfo only = tables().describeTable(table.meta().name()).partitions().get(0);
    assertThat(only.figures().orElseThrow().committed()).isEqualTo(3);
  }

  @Test
  void a_range_is_read_across_partitions_in_both_directions_and_between_bounds() {
    TableInfo table = table(10, 20);
    write(table, put(1, 1), put(9, 9), put(10, 10), put(25, 25), put(26, 26));
    assertThat(ids(table, RangeQuery.ALL)).containsExactly(1L, 9L, 10L, 25L, 26L);
    assertThat(ids(table, RangeQuery.ALL.backward())).containsExactly(26L, 25L, 10L, 9L, 1L);
    assertThat(ids(table, RangeQuery.ALL.from(key(9)).to(key(26)))).containsExactly(9L, 10L, 25L);
    assertThat(ids(table, RangeQuery.ALL.from(key(9)).to(key(9)))).isEmpty();
    assertThat(ids(table, RangeQuery.ALL.from(key(9)).to(key(9)).backward())).isEmpty();
  }

  @Test
  void a_range_whose_lowest_key_is_above_its_highest_is_refused() {
    TableInfo table = table(10, 20);
    write(table, put(5, 5));
    RangeQuery reversed = RangeQuery.ALL.from(key(9)).to(key(3));
    for (RangeQuery query : List.of(reversed, reversed.backward(), reversed.withLimit(0))) {
      assertThatThrownBy(() -> ids(table, query))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("(id=9) to (id=3) is reversed");
    }
  }

  private List<Long> ids(TableInfo table, RangeQuery query) {
    return ids(tables().getRange(table.meta().name(), query));
  }

  /** Rows 1 to 30 in three partitions; v is the id, and every third has a note. */
  private TableInfo thirty() {
    TableInfo table = table(10, 20);
    List<RowChange> rows = new ArrayList<>();
    for (long id = 1; id <= 30; id++) {
      List<Column> columns = new ArrayList<>(List.of(new Column("v", ColumnValue.fromLong(id))));
      if (id % 3 == 0) {
        columns.add(new Column("note", ColumnValue.fromString("n" + id)));
      }
      rows.add(new RowPutChange(key(id), columns));
    }
    write(table, rows.toArray(RowChange[]::new));
    return table;
  }

  private static List<Long> ids(Iterable<Row> rows) {
    List<Long> ids = new ArrayList<>();
    rows.forEach(row -> ids.add(row.primaryKey().getPrimaryKeyColumn("id").getValue().asLong()));
    return ids;
  }

  @Test
  void a_range_has_the_rows_of_which_a_condition_holds_and_its_limit_counts_these() {
    TableInfo table = thirty();
    Condition condition = Condition.parse("exists note and v > 6");
    RowRange some =
        tables().getRange(table.meta().name(), RangeQuery.ALL.withLimit(3)).where(condition);
    assertThat(ids(some)).containsExactly(9L, 12L, 15L);
    assertThat(ids(some.where(Condition.parse("id != 12")))).containsExactly(9L, 15L, 18L);
    RowRange.RowIterator backward =
        tables()
            .getRange(table.meta().name(), RangeQuery.ALL.backward().withLimit(2))
            .where(Condition.parse("id <= 20"))
            .iterator();
    assertThat(backward.next().primaryKey()).isEqualTo(key(20));
    assertThat(backward.next().primaryKey()).isEqualTo(key(19));
    assertThat(backward.hasNext()).isFalse();
    assertThat(backward.rowsLookedAt()).as("30 to 19").isEqualTo(12);
    RowRange.RowIterator none =
        tables()
            .getRange(table.meta().name(), RangeQuery.ALL.withPageRows(7))
            .where(Condition.parse("exists w"))
            .iterator();
    assertThat(none.hasNext()).isFalse();
    assertThat(none.rowsLookedAt()).isEqualTo(30);
    assertThat(none.bytesLookedAt()).isGreaterThan(30 * 10);
    RowRange wrong =
        tables().getRange(table.meta().name(), RangeQuery.ALL).where(Condition.parse("id = \"x\""));
    assertThatThrownBy(wrong::iterator)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the INTEGER id of the key");
  }

  @Test
  void a_read_brings_the_columns_that_were_chosen_and_commit_times_when_asked_for() {
    TableInfo table = thirty();
    String name = table.meta().name();
    RowSelection notes = RowSelection.ALL.withColumns("note", "absent").withCommitTimes();
    Row third = tables().getRow(name, key(3), notes, ReadMode.BOUNDED).orElseThrow();
    assertThat(third.columns()).containsExactly(new Column("note", ColumnValue.fromString("n3")));
    long written = third.commitMicros().orElseThrow();
    assertThat(tables().getRow(name, key(1), notes, ReadMode.STRICT).orElseThrow().columns())
        .isEmpty();
    write(table, put(3, 33));
    assertThat(
            tables()
                .getRow(name, key(3), RowSelection.ALL.withCommitTimes(), ReadMode.BOUNDED)
                .orElseThrow()
                .commitMicros()
                .orElseThrow())
        .isGreaterThanOrEqualTo(written);
    for (Row row : tables().getRange(name, RangeQuery.ALL).withColumns()) {
      assertThat(row.columns()).isEmpty();
      assertThat(row.commitMicros()).isEmpty();
    }
    assertThat(
            tables()
                .getRow(
                    name,
                    key(3),
                    RowSelection.ALL.where(Condition.parse("v = 3")),
                    ReadMode.BOUNDED))
        .as("the row is another since")
        .isEmpty();
    assertThatThrownBy(
            () ->
                tables().getRow(name, key(3), RowSelection.ALL.withColumns("id"), ReadMode.BOUNDED))
        .hasMessageContaining("column 'id' is chosen and is of the table's key (id)");
  }

  @Test
  void rows_of_many_partitions_are_got_by_their_keys_at_once() {
    TableInfo table = thirty();
    String name = table.meta().name();
    List<PrimaryKey> keys = List.of(key(25), key(3), key(99), key(12), key(3), key(9));
    Map<PrimaryKey, Row> all = tables().getRows(name, keys);
    assertThat(all.keySet()).containsExactly(key(25), key(3), key(12), key(9));
    assertThat(all.get(key(12)).value("v")).hasValue(ColumnValue.fromLong(12));
    Map<PrimaryKey, Row> noted =
        tables()
            .getRows(
                name,
                keys,
                RowSelection.ALL.where(Condition.parse("exists note")).withColumns("v"),
                ReadMode.STRICT);
    assertThat(noted.keySet()).containsExactly(key(3), key(12), key(9));
    assertThat(noted.get(key(3)).columns())
        .containsExactly(new Column("v", ColumnValue.fromLong(3)));
    assertThat(tables().getRows(name, List.of())).isEmpty();
    Bytes first = KeyCodec.encode(PrimaryKeyValue.fromLong(3));
    Bytes astray = KeyCodec.encode(PrimaryKeyValue.fromLong(25));
    byte[] request =
        new GetRowsRequest(table.tableId(), List.of(first, astray), ReadTerms.BOUNDED).encode();
    assertThat(raw().refused(Operation.GET_ROWS, request).code())
        .isEqualTo(ErrorCode.WRONG_PARTITION);
  }

  @Test
  void a_read_that_cannot_be_is_refused_by_the_server_too() {
    subject().expectMisconduct();
    TableInfo table = thirty();
    RawClient raw = raw();
    for (RowSelection wrong :
        List.of(
            RowSelection.ALL.where(Condition.parse("change is put")),
            RowSelection.ALL.where(Condition.parse("before.v = 1")),
            RowSelection.ALL.where(Condition.parse("id starts with \"1\"")),
            RowSelection.ALL.withColumns("v", "id"))) {
      byte[] request =
          new GetRowRequest(
                  table.tableId(),
                  KeyCodec.encode(PrimaryKeyValue.fromLong(3)),
                  new ReadTerms(false, wrong))
              .encode();
      assertThat(raw.refused(Operation.GET_ROW, request).code())
          .as("%s", wrong)
          .isEqualTo(ErrorCode.INVALID_REQUEST);
    }
    byte[] flags =
        new GetRowRequest(table.tableId(), KeyCodec.encode(PrimaryKeyValue.fromLong(3))).encode();
    flags[flags.length - 1] = 64;
    assertThat(raw.refused(Operation.GET_ROW, flags).message())
        .contains("flags 64 of a read of rows; this build knows 1 (strict)");
  }

  @Test
  void a_batch_for_the_wrong_partition_or_a_table_that_is_gone_is_refused_whole() {
    TableInfo table = table(10);
    int second = table.partitions().get(1).id();
    RawClient raw = raw();
    byte[] astray =
        RawWrite.payload(table.meta(), table.tableId(), second, List.of(put(11, 1), put(1, 1)));
    assertThat(raw.refused(Operation.WRITE, astray).code()).isEqualTo(ErrorCode.WRONG_PARTITION);
    byte[] nowhere = RawWrite.payload(table.meta(), 1_000_000, second, List.of(put(11, 1)));
    assertThat(raw.refused(Operation.WRITE, nowhere).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(tables().getRow(table.meta().name(), key(11))).isEmpty();
  }

  @Test
  void a_batch_that_was_damaged_on_its_way_is_refused() {
    subject().expectMisconduct();
    TableInfo table = table();
    byte[] batch =
        RawWrite.payload(
            table.meta(), table.tableId(), table.partitions().get(0).id(), List.of(put(1, 1)));
    batch[batch.length - 1] ^= 1;
    assertThat(raw().refused(Operation.WRITE, batch).code()).isEqualTo(ErrorCode.CORRUPT);
  }

  /** Also a request that comes on another connection, and when its table is gone since. */
  @Test
  void a_creation_that_comes_again_under_its_id_is_answered_and_not_done_again() {
    Control.CreateTable request = new Control.CreateTable(meta("twice"), List.of());
    byte[] payload = Json.encode(request, "creation-of-twice");
    try (RawClient first = raw();
        RawClient second = raw()) {
      byte[] answer = first.request(Operation.CREATE_TABLE, payload);
      int id = Json.decode(answer, Control.TableDescription.class).tableId();
      byte[] again = second.request(Operation.CREATE_TABLE, payload);
      assertThat(Json.decode(again, Control.TableDescription.class).tableId()).isEqualTo(id);
      assertThat(second.refused(Operation.CREATE_TABLE, Json.encode(request)).code())
          .isEqualTo(ErrorCode.TABLE_EXISTS);
      byte[] drop = Json.encode(new Control.TableName("twice"), "drop-of-twice");
      assertThat(first.request(Operation.DROP_TABLE, drop)).isEmpty();
      assertThat(second.request(Operation.DROP_TABLE, drop)).isEmpty();
    }
    assertThat(tables().listTables()).doesNotContain("twice");
  }
}
