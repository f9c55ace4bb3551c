package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Returning;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.Returned;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.Test;

/** What is true of the columns that rows of a write return. */
abstract class ReturningContract extends Contract {

  private static final Returning V = Returning.columns("v");

  private static RowUpdateChange add(long id, long delta) {
    return new RowUpdateChange(key(id), List.of(new ColumnUpdate.Increment("v", delta)));
  }

  private List<RowResult> results(TableInfo table, RowChange... rows) {
    return tables().tryWrite(table.meta().name(), List.of(rows)).results();
  }

  private static Returned row(long id, Column... columns) {
    return new Returned(Returned.Kind.ROW, Optional.of(new Row(key(id), List.of(columns))));
  }

  private static Returned nothing(Returned.Kind kind) {
    return new Returned(kind, Optional.empty());
  }

  private static Column v(long value) {
    return new Column("v", ColumnValue.fromLong(value));
  }

  @Test
  void applied_rows_return_their_columns_as_each_change_left_them() {
    TableInfo table = table();
    write(table, put(1, 40));
    Column text = new Column("t", ColumnValue.fromString("x"));
    List<RowResult> results =
        results(
            table,
            add(1, 1).returning(V),
            add(1, 1).returning(V),
            add(2, -7).returning(Returning.columns("v", "none")),
            new RowPutChange(key(3), List.of(v(3), text)).returning(Returning.columns("t", "v")),
            put(4, 4),
            new RowUpdateChange(
                    key(3),
                    List.of(
                        new ColumnUpdate.Delete("t"),
                        new ColumnUpdate.Put("w", ColumnValue.fromBoolean(true))))
                .returning(Returning.columns("t", "v", "w")),
            put(5, 5).returning(Returning.KEY),
            new RowDeleteChange(key(1)).returning(V),
            put(6, 6).returning(V.whenRefused()));
    assertThat(results).allMatch(RowResult::isApplied);
    assertThat(results)
        .extracting(RowResult::returned)
        .containsExactly(
            row(1, v(41)),
            row(1, v(42)),
            row(2, v(-7)),
            row(3, text, v(3)),
            Returned.NOTHING,
            row(3, v(3), new Column("w", ColumnValue.fromBoolean(true))),
            row(5),
            nothing(Returned.Kind.ABSENT),
            Returned.NOTHING);
  }

  @Test
  void refused_rows_return_their_columns_as_they_are() {
    TableInfo table = table();
    write(table, put(1, 40), put(2, Long.MAX_VALUE));
    Condition other = Condition.parse("v = 7");
    List<RowResult> results =
        results(
            table,
            put(1, 1).onlyIf(other).returning(V),
            new RowDeleteChange(key(1)).onlyIf(other).returning(V.whenRefused()),
            new RowPutChange(key(1), List.of(), RowExistenceExpectation.EXPECT_NOT_EXIST)
                .returning(V),
            new RowDeleteChange(key(9), RowExistenceExpectation.EXPECT_EXIST).returning(V),
            add(9, 1).onlyIf(other).returning(V),
            add(2, 1).returning(V),
            put(1, 1).onlyIf(other),
            put(1, 7).returning(V),
            put(1, 8).onlyIf(other).returning(V),
            put(1, 9).onlyIf(other).returning(V));
    assertThat(results)
        .extracting(RowResult::isApplied)
        .containsExactly(false, false, false, false, false, false, false, true, true, false);
    assertThat(results)
        .extracting(RowResult::returned)
        .containsExactly(
            row(1, v(40)),
            row(1, v(40)),
            row(1, v(40)),
            nothing(Returned.Kind.ABSENT),
            nothing(Returned.Kind.ABSENT),
            row(2, v(Long.MAX_VALUE)),
            Returned.NOTHING,
            row(1, v(7)),
            row(1, v(8)),
            row(1, v(8)));
    assertThat(results.get(5).error()).contains(ErrorCode.INTEGER_OVERFLOW);
  }

  @Test
  void an_answer_says_which_columns_it_has_no_room_for_and_applies_their_rows() {
    TableInfo table = table();
    Column large = new Column("t", ColumnValue.fromString("x".repeat(700_000)));
    write(table, new RowPutChange(key(1), List.of(large)));
    write(table, new RowPutChange(key(2), List.of(large)));
    Returning t = Returning.columns("t");
    List<RowResult> results =
        results(table, add(1, 1).returning(t), add(2, 1).returning(t), put(3, 3).returning(V));
    assertThat(results).allMatch(RowResult::isApplied);
    assertThat(results)
        .extracting(result -> result.returned().kind())
        .containsExactly(Returned.Kind.ROW, Returned.Kind.TOO_LARGE, Returned.Kind.ROW);
    assertThat(tables().getRow(table.meta().name(), key(2))).isPresent();
  }

  @Test
  void writers_that_count_in_one_row_draw_each_number_once() {
    TableInfo table = table();
    String name = table.meta().name();
    Set<Long> drawn = new ConcurrentSkipListSet<>();
    List<TableWriter> writers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      writers.add(tables().openWriter(name));
    }
    for (int i = 0; i < 400; i++) {
      writers
          .get(i % 4)
          .add(
              add(1, 1).returning(V),
              (row, result) ->
                  drawn.add(
                      result.returned().row().orElseThrow().value("v").orElseThrow().asLong()));
    }
    writers.forEach(TableWriter::close);
    Set<Long> expected = new TreeSet<>(oneTo(400));
    assertThat(drawn).isEqualTo(expected);
  }
}
