package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.condition.Condition;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Increments in the bytes of a WRITE, and what becomes of them in those of a log. */
final class IncrementsTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1L).build();

  private static ChangeBatch batch(RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    for (RowChange row : rows) {
      assertThat(builder.add(row)).isTrue();
    }
    return parsed(builder);
  }

  private static ChangeBatch batch(RowChange row, int number, String attribute) {
    ByteSink list = new ByteSink(64);
    Attributes.write(list, number, Bytes.fromHex(attribute));
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    assertThat(
            builder.addWithin(
                Limits.BATCH_BYTES_MAX, row, Bytes.copyOf(list.array(), 0, list.size())))
        .isTrue();
    return parsed(builder);
  }

  private static ChangeBatch parsed(BatchBuilder builder) {
    byte[] array = builder.build(1);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private static RowUpdateChange update(ColumnUpdate... updates) {
    return new RowUpdateChange(KEY, List.of(updates));
  }

  private static ColumnUpdate add(String name, long delta) {
    return new ColumnUpdate.Increment(name, delta);
  }

  private static ColumnUpdate put(String name, long value) {
    return new ColumnUpdate.Put(name, ColumnValue.fromLong(value));
  }

  private static BatchValidator.Checked check(ChangeBatch batch) {
    return new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY);
  }

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  /** Results stand in the columns and deltas beside them, with any other attributes. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_log_has_results_and_what_was_added(long seed) {
    Random random = new Random(seed);
    List<ColumnUpdate> updates = new ArrayList<>();
    Map<String, Long> before = new TreeMap<>();
    Map<String, Long> added = new TreeMap<>();
    int columns = 1 + random.nextInt(random.nextInt(20) == 0 ? 300 : 8);
    for (int i = 0; i < columns; i++) {
      String name = "c" + i;
      if (random.nextBoolean()) {
        before.put(name, (long) random.nextInt(100) - 50);
      }
      switch (random.nextInt(3)) {
        case 0 -> updates.add(put(name, i));
        case 1 -> updates.add(new ColumnUpdate.Delete(name));
        default -> {
          added.put(name, (long) random.nextInt(100) - 50);
          updates.add(add(name, added.get(name)));
        }
      }
    }
    RowChange change = new RowUpdateChange(KEY, updates);
    boolean isConditional = random.nextBoolean();
    ChangeBatch sent = batch(isConditional ? change.onlyIf(Condition.parse("c0 < 9")) : change);
    byte[] bytes = sent.array().clone();
    BatchValidator.Checked checked = check(sent);
    assertThat(checked.mustJudge()).isTrue();
    assertThat(checked.asksForColumns()).isEqualTo(isConditional || !added.isEmpty());
    assertThat(checked.newest().isPresent()).isEqualTo(isConditional || !added.isEmpty());

    RowsToJudge rows = new RowsToJudge(sent);
    assertThat(rows.next()).isTrue();
    RowCursor row = rows.row();
    assertThat(row.mustBeJudged()).isEqualTo(isConditional || !added.isEmpty());
    row.increments()
        .ifPresent(
            all ->
                assertThat(
                        IncrementCore.add(
                            row,
                            all,
                            name ->
                                IncrementCore.Found.of(
                                    before.containsKey(name)
                                        ? ColumnValue.fromLong(before.get(name))
                                        : null)))
                    .isEmpty());
    assertThat(sent.array()).as("what the writer sent").isEqualTo(bytes);
    ColumnCursor column = row.columns();
    for (ColumnUpdate update : updates) {
      assertThat(column.next()).isTrue();
      if (update instanceof ColumnUpdate.Increment increment) {
        assertThat(column.value().asLong())
            .isEqualTo(before.getOrDefault(update.name(), 0L) + increment.delta());
      } else if (update instanceof ColumnUpdate.Put put) {
        assertThat(column.value()).isEqualTo(put.value());
      } else {
        assertThat(column.isDelete()).isTrue();
      }
    }
    requireLogged(row.attributesToLog(), updates);
    assertThat(rows.next()).isFalse();
  }

  private static void requireLogged(Bytes attributes, List<ColumnUpdate> updates) {
    byte[] list = attributes.toByteArray();
    assertThat(Attributes.find(FormatFeature.CONDITION.number(), list, 0, list.length)).isEmpty();
    assertThat(Attributes.find(FormatFeature.INCREMENT.number(), list, 0, list.length)).isEmpty();
    Optional<Increments> logged =
        Attributes.find(FormatFeature.DELTA.number(), list, 0, list.length).map(Increments::decode);
    for (int place = 0; place < updates.size(); place++) {
      Optional<Long> delta =
          updates.get(place) instanceof ColumnUpdate.Increment increment
              ? Optional.of(increment.delta())
              : Optional.empty();
      int at = place;
      assertThat(logged.flatMap(all -> all.at(at))).isEqualTo(delta);
    }
  }

  @Test
  void bytes_are_these_for_ever() {
    Increments increments = Increments.of(update(put("a", 7), add("b", 1), add("c", -2))).get();
    assertThat(increments.encode())
        .isEqualTo(Bytes.fromHex("01" + "0000000000000001" + "02" + "fffffffffffffffe"));
    assertThat(increments.toLog())
        .isEqualTo(
            Bytes.fromHex("06" + "12" + "01" + "0000000000000001" + "02" + "fffffffffffffffe"));
    RowCursor row = batch(update(put("a", 7), add("b", 1))).rows();
    assertThat(row.next()).isTrue();
    assertThat(row.attributes()).isEqualTo(Bytes.fromHex("03" + "09" + "01" + "0000000000000001"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "00", "00000000000000", "0000000000000000010000000000000001", "80", "ff"})
  void bytes_that_are_no_increments_are_refused_with_their_row(String attribute) {
    ChangeBatch batch =
        batch(update(put("a", 0), put("b", 0)), FormatFeature.INCREMENT.number(), attribute);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> check(batch))
        .matches(refused -> refused.code() == ErrorCode.INVALID_REQUEST);
  }

  @Test
  void each_place_is_of_an_integer_0_that_the_row_names() {
    String first = "00" + "0000000000000001";
    requireRefused(update(put("a", 5)), first, "is not sent as the INTEGER 0");
    requireRefused(
        update(new ColumnUpdate.Put("a", ColumnValue.fromString("x"))), first, "INTEGER 0");
    requireRefused(update(new ColumnUpdate.Delete("a")), first, "INTEGER 0");
    requireRefused(update(put("a", 0)), "01" + "0000000000000001", "does not have");
    requireRefused(
        new RowPutChange(KEY, List.of(new Column("a", ColumnValue.fromLong(0)))), first, "a PUT");
    requireRefused(new RowDeleteChange(KEY), first, "a DELETE");
    assertThat(check(batch(update(put("a", 0)), 3, first)).asksForColumns()).isTrue();
  }

  private static void requireRefused(RowChange row, String attribute, String why) {
    ChangeBatch batch = batch(row, FormatFeature.INCREMENT.number(), attribute);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> check(batch))
        .withMessageContaining("row 0: ")
        .withMessageContaining(why);
  }

  /** Otherwise a writer could tell processors of sums that nobody added. */
  @Test
  void what_was_added_is_the_server_s_to_say() {
    ChangeBatch batch =
        batch(update(put("a", 5)), FormatFeature.DELTA.number(), "00" + "0000000000000001");
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> check(batch))
        .withMessageContaining("row 0: attribute delta");
  }

  @ParameterizedTest
  @CsvSource({
    "9223372036854775807, 1, INTEGER_OVERFLOW",
    "9223372036854775806, 1, ",
    "-9223372036854775808, -1, INTEGER_OVERFLOW",
    "-9223372036854775808, 9223372036854775807, ",
    "-1, -9223372036854775808, INTEGER_OVERFLOW",
    "0, -9223372036854775808, ",
    "-1, -9223372036854775807, ",
    "1, 9223372036854775807, INTEGER_OVERFLOW"
  })
  void a_sum_has_64_bits_or_is_refused(long before, long delta, ErrorCode refusal) {
    RowsToJudge rows = new RowsToJudge(batch(update(add("a", delta))));
    assertThat(rows.next()).isTrue();
    assertThat(add(rows.row(), Map.of("a", ColumnValue.fromLong(before))))
        .isEqualTo(Optional.ofNullable(refusal));
    ColumnCursor column = rows.row().columns();
    assertThat(column.next()).isTrue();
    assertThat(column.value().asLong()).isEqualTo(refusal == null ? before + delta : 0);
  }

  private static Optional<ErrorCode> add(RowCursor row, Map<String, ColumnValue> before) {
    return IncrementCore.add(
        row, row.increments().orElseThrow(), name -> IncrementCore.Found.of(before.get(name)));
  }

  @Test
  void a_row_that_is_refused_for_one_column_has_no_result_in_another() {
    RowsToJudge rows = new RowsToJudge(batch(update(add("a", 1), add("b", 1))));
    assertThat(rows.next()).isTrue();
    assertThat(add(rows.row(), Map.of("b", ColumnValue.fromString("x"))))
        .contains(ErrorCode.NOT_AN_INTEGER);
    ColumnCursor column = rows.row().columns();
    assertThat(column.next()).isTrue();
    assertThat(column.value().asLong()).isZero();
  }

  @Test
  void a_batch_without_increments_is_not_copied() {
    ChangeBatch plain = batch(update(put("a", 1)), new RowDeleteChange(KEY));
    RowsToJudge rows = new RowsToJudge(plain);
    while (rows.next()) {
      assertThat(rows.row().batch()).isSameAs(plain);
    }
    assertThat(rows.batch()).isSameAs(plain);
  }
}
