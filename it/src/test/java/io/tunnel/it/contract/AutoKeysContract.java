package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.condition.Condition;
import io.tunnel.fixtures.Poll;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
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
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.Returned;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is true of keys that the server numbers. */
abstract class AutoKeysContract extends Contract {

  /** Rows of several requests, so that a batch is longer than what is judged at once. */
  private static final int MANY = 1_000;

  private TableInfo orders(String... splitPoints) {
    CreateTableRequest.Builder request =
        CreateTableRequest.builder(newName()).key("shop", PrimaryKeyType.STRING).autoKey("number");
    for (String point : splitPoints) {
      request.splitPoint(point);
    }
    return tables().createTable(request.build());
  }

  private static PrimaryKey key(String shop, long number) {
    return PrimaryKey.builder().add("shop", shop).add("number", number).build();
  }

  private static Column v(long value) {
    return new Column("v", ColumnValue.fromLong(value));
  }

  private static RowPutChange put(String shop, long v) {
    return new RowPutChange(
        PrimaryKey.builder().add("shop", shop).auto("number").build(), List.of(v(v)));
  }

  private static RowPutChange put(PrimaryKey key, long v) {
    return new RowPutChange(key, List.of(v(v)));
  }

  private List<RowResult> results(TableInfo table, RowChange... rows) {
    return tables().tryWrite(table.meta().name(), List.of(rows)).results();
  }

  private static long number(RowResult result) {
    assertThat(result.isApplied()).as("%s", result).isTrue();
    return result.key().orElseThrow().getPrimaryKeyColumn("number").getValue().asLong();
  }

  private long value(TableInfo table, PrimaryKey key) {
    return tables()
        .getRow(table.meta().name(), key)
        .orElseThrow()
        .value("v")
        .orElseThrow()
        .asLong();
  }

  @Test
  void rows_get_numbers_above_all_before_them_and_their_writer_has_the_keys() {
    TableInfo table = orders();
    List<RowResult> first = results(table, put("b", 10), put("a", 20), put("a", 30));
    assertThat(first)
        .extracting(row -> row.key().orElseThrow())
        .containsExactly(key("b", 1), key("a", 2), key("a", 3));
    assertThat(value(table, key("a", 3))).isEqualTo(30);
    List<RowResult> second = results(table, put("a", 40), put(key("a", 2), 21));
    assertThat(second.get(0).key()).contains(key("a", 4));
    assertThat(second.get(1).key()).as("a change that names its key").isEmpty();
    assertThat(value(table, key("a", 2))).isEqualTo(21);
  }

  @Test
  void the_number_of_a_deleted_row_is_not_given_again() {
    TableInfo table = orders();
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(1);
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(2);
    write(table, new RowDeleteChange(key("a", 2)), new RowDeleteChange(key("a", 1)));
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(3);
  }

  @Test
  void numbers_are_above_those_that_writers_named_also_in_the_batch() {
    TableInfo table = orders();
    write(table, put(key("z", 700), 1), put(key("a", -5), 1));
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(701);
    List<RowResult> mixed = results(table, put("a", 2), put(key("b", 900), 3), put("a", 4));
    assertThat(number(mixed.get(0))).isEqualTo(901);
    assertThat(number(mixed.get(2))).isEqualTo(902);
    write(
        table,
        new RowUpdateChange(
            key("c", 1_000), List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(1)))));
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(1_001);
  }

  @Test
  void a_named_number_of_a_refused_row_takes_no_number() {
    TableInfo table = orders();
    RowResult refused =
        results(
                table,
                new RowPutChange(
                    key("a", 500), List.of(v(1)), RowExistenceExpectation.EXPECT_EXIST))
            .get(0);
    assertThat(refused.error()).contains(ErrorCode.CONDITION_FAILED);
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(1);
  }

  @Test
  void each_partition_numbers_for_itself_by_the_first_column_alone() {
    TableInfo table = orders("m");
    List<RowResult> results = results(table, put("a", 1), put("z", 2), put("b", 3), put("y", 4));
    assertThat(results).extracting(AutoKeysContract::number).containsExactly(1L, 1L, 2L, 2L);
    assertThat(results.get(0).partition()).isNotEqualTo(results.get(1).partition());
  }

  @Test
  void many_rows_of_one_writer_have_distinct_numbers_that_rise_with_their_positions() {
    TableInfo table = orders();
    List<RowResult> results = new ArrayList<>();
    try (TableWriter writer = tables().openWriter(table.meta().name())) {
      for (int i = 0; i < MANY; i++) {
        RowChange row = put("shop" + i % 7, i);
        writer.add(
            i % 5 == 0 ? row.returning(Returning.columns("v")) : row,
            (change, result) -> {
              synchronized (results) {
                results.add(result);
              }
            });
      }
    }
    assertThat(results).hasSize(MANY).allMatch(RowResult::isApplied);
    results.sort((one, other) -> Long.compare(one.position(), other.position()));
    assertThat(results)
        .extracting(AutoKeysContract::number)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, MANY).boxed().toList());
    for (RowResult result : results) {
      assertThat(tables().getRow(table.meta().name(), result.key().orElseThrow())).isPresent();
      result
          .returned()
          .row()
          .ifPresent(row -> assertThat(row.primaryKey()).isEqualTo(result.key().orElseThrow()));
    }
  }

  @Test
  void a_condition_that_the_row_is_new_holds_and_returned_columns_come_with_the_number() {
    TableInfo table = orders();
    RowChange row =
        new RowPutChange(
                PrimaryKey.builder().add("shop", "a").auto("number").build(),
                List.of(v(8)),
                RowExistenceExpectation.EXPECT_NOT_EXIST)
            .returning(Returning.columns("v"));
    RowResult result = results(table, row).get(0);
    assertThat(result.key()).contains(key("a", 1));
    assertThat(result.returned())
        .isEqualTo(
            new Returned(Returned.Kind.ROW, Optional.of(new Row(key("a", 1), List.of(v(8))))));
  }

  @Test
  void refused_rows_of_a_batch_leave_the_others_their_numbers() {
    TableInfo table = orders();
    write(table, put(key("a", 1), 1));
    List<RowResult> results =
        results(
            table,
            put("a", 1),
            put(key("a", 1), 5).onlyIf(Condition.parse("v = 7")),
            put("a", 2),
            put(key("a", 1), 6).onlyIf(Condition.parse("v = 1")),
            put("b", 3));
    assertThat(results.get(1).error()).contains(ErrorCode.CONDITION_FAILED);
    assertThat(List.of(results.get(0), results.get(2), results.get(4)))
        .extracting(row -> row.key().orElseThrow())
        .containsExactly(key("a", 2), key("a", 3), key("b", 4));
    assertThat(value(table, key("b", 4))).isEqualTo(3);
  }

  @Test
  void atomic_batches_have_numbers_and_refused_ones_have_none() {
    TableInfo table = orders();
    String name = table.meta().name();
    List<RowResult> applied =
        tables().writeAtomically(name, List.of(put("a", 1), put("a", 2))).results();
    assertThat(applied).extracting(AutoKeysContract::number).containsExactly(1L, 2L);
    List<RowResult> refused =
        tables()
            .tryWriteAtomically(
                name,
                List.of(
                    put("a", 3),
                    new RowDeleteChange(key("a", 9), RowExistenceExpectation.EXPECT_EXIST)))
            .results();
    assertThat(refused).noneMatch(RowResult::isApplied).allMatch(row -> row.key().isEmpty());
    assertThat(number(results(table, put("a", 4)).get(0))).isGreaterThan(2);
    assertThat(tables().getRow(name, key("a", 3)).map(row -> row.value("v").orElseThrow().asLong()))
        .isNotEqualTo(Optional.of(3L));
  }

  @Test
  void behind_the_last_number_rows_that_ask_for_one_are_refused_and_others_are_not() {
    TableInfo table = orders();
    write(table, put(key("a", Long.MAX_VALUE - 1), 1));
    assertThat(number(results(table, put("a", 1)).get(0))).isEqualTo(Long.MAX_VALUE);
    List<RowResult> results = results(table, put("a", 2), put(key("a", 3), 3), put("a", 4));
    assertThat(results.get(0).error()).contains(ErrorCode.INTEGER_OVERFLOW);
    assertThat(results.get(1).isApplied()).isTrue();
    assertThat(results.get(2).error()).contains(ErrorCode.INTEGER_OVERFLOW);
    assertThat(value(table, key("a", 3))).isEqualTo(3);
  }

  /** Keeps the keys of the delivered changes. */
  private static final class Keys implements IChannelProcessor {
    private final List<PrimaryKey> all = new CopyOnWriteArrayList<>();

    @Override
    public void process(ProcessRecordsInput input) {
      input.getRecords().forEach(record -> all.add(record.getPrimaryKey()));
    }

    @Override
    public void shutdown() {
      // Nothing is held.
    }
  }

  @Test
  void the_stream_has_the_whole_keys() {
    TableInfo table = orders();
    Keys keys = new Keys();
    var unused = worker(stream(table, "orders"), "orders", keys);
    write(table, put("a", 1), put("b", 2));
    Poll.until(Poll.LONG, () -> keys.all.size() >= 2, () -> "two keys, but " + keys.all);
    assertThat(keys.all).containsExactly(key("a", 1), key("b", 2));
  }

  @Test
  void rows_that_must_be_named_are_refused_before_they_are_sent() {
    TableInfo table = orders();
    String name = table.meta().name();
    PrimaryKey auto = PrimaryKey.builder().add("shop", "a").auto("number").build();
    assertThatThrownBy(() -> tables().getRow(name, auto))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be named");
    assertRefused(table, new RowDeleteChange(auto), "DELETE");
    assertRefused(
        table,
        new RowUpdateChange(auto, List.of(new ColumnUpdate.Put("v", ColumnValue.fromLong(1)))),
        "UPDATE");
    assertRefused(
        table,
        new RowPutChange(auto, List.of(v(1)), RowExistenceExpectation.EXPECT_EXIST),
        "always a new one");
    assertRefused(table, put("a", 1).onlyIf(Condition.parse("v = 1")), "always a new one");
    assertRefused(
        table(),
        put(PrimaryKey.builder().auto("id").build(), 1),
        "does not have the server number");
  }

  private void assertRefused(TableInfo table, RowChange row, String message) {
    RowResult result = results(table, row).get(0);
    assertThat(result.error()).contains(ErrorCode.INVALID_REQUEST);
    assertThat(result.message()).contains(message);
  }

  @Test
  void the_description_of_a_table_says_which_column_is_numbered() {
    TableInfo table = orders();
    assertThat(tables().describeTable(table.meta().name()).meta().primaryKey())
        .containsExactly(
            new PrimaryKeySchema("shop", PrimaryKeyType.STRING), PrimaryKeySchema.auto("number"));
  }

  @Test
  void a_key_has_one_integer_column_behind_the_first_that_is_numbered_at_most() {
    assertThatThrownBy(() -> CreateTableRequest.builder("t").autoKey("n").build())
        .hasMessageContaining("the first of the key");
    assertThatThrownBy(
            () ->
                CreateTableRequest.builder("t")
                    .key("a", PrimaryKeyType.STRING)
                    .autoKey("n")
                    .autoKey("m")
                    .build())
        .hasMessageContaining("[n, m] are AUTO");
    assertThatThrownBy(() -> new PrimaryKeySchema("n", PrimaryKeyType.STRING, true))
        .hasMessageContaining("INTEGER columns only");
    assertThat(PrimaryKeyValue.auto().getType()).isEqualTo(PrimaryKeyType.INTEGER);
  }
}
