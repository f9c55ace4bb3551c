package io.tunnel.codec;

import static io.tunnel.model.ChangeKind.DELETE;
import static io.tunnel.model.ChangeKind.PUT;
import static io.tunnel.model.ChangeKind.UPDATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchValidatorTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
  private static final PrimaryKeyValue ONE = PrimaryKeyValue.fromLong(1);

  private final BatchValidator validator = new BatchValidator(SCHEMA);

  @ParameterizedTest
  @ValueSource(longs = {10, 11, 19})
  void a_row_inside_its_partition_is_accepted(long id) {
    assertThat(validator.require(delete(id), number(10), number(20)).mustJudge()).isFalse();
    assertThat(validator.require(delete(id), Bytes.EMPTY, number(20)).mustJudge()).isFalse();
    assertThat(validator.require(delete(id), number(10), Bytes.EMPTY).mustJudge()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 9, 20, 21, Long.MAX_VALUE})
  void a_row_outside_its_partition_is_refused(long id) {
    assertRefused(delete(id), number(10), number(20), ErrorCode.WRONG_PARTITION, "row 0");
    assertThat(validator.require(delete(id), Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isFalse();
  }

  @Test
  void only_the_first_key_column_decides_about_the_partition() {
    List<PrimaryKeySchema> schema =
        List.of(
            new PrimaryKeySchema("name", PrimaryKeyType.STRING),
            new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    Bytes from = KeyCodec.encode(PrimaryKeyValue.fromString("b"));
    Bytes to = KeyCodec.encode(PrimaryKeyValue.fromString("c"));
    String highest = KeyCodec.encode(PrimaryKeyValue.fromLong(Long.MAX_VALUE)).toString();
    BatchValidator two = new BatchValidator(schema);

    ChangeBatch inside =
        new RawBatch()
            .row(3, from + highest, "00")
            .row(3, KeyCodec.encode(PrimaryKeyValue.fromString("b\0")) + highest, "00")
            .row(3, KeyCodec.encode(PrimaryKeyValue.fromString("bzzz")) + highest, "00")
            .build();
    assertThat(two.require(inside, from, to).mustJudge()).isFalse();
    ChangeBatch outside =
        new RawBatch().row(3, from + highest, "00").row(3, to + highest, "00").build();
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> two.require(outside, from, to))
        .withMessageContaining("row 1 does not belong to partition 1")
        .matches(e -> e.code() == ErrorCode.WRONG_PARTITION);
  }

  @Test
  void a_condition_on_any_row_is_told() {
    RawBatch rows = new RawBatch().row(DELETE, ONE, "00");
    assertThat(validator.require(rows.build(), Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isFalse();
    rows.row(DELETE, RowExistenceExpectation.EXPECT_EXIST, ONE, "00").row(DELETE, ONE, "00");
    assertThat(validator.require(rows.build(), Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isTrue();
  }

  @Test
  void a_name_that_no_row_uses_is_refused() {
    RawBatch rows = new RawBatch().name("a").name("b").row(ChangeKind.UPDATE, ONE, "010006");
    assertRefused(
        rows.build(), ErrorCode.INVALID_REQUEST, "no row of the batch uses column name 'b'");
    rows.row(ChangeKind.UPDATE, ONE, "010106");
    assertThat(validator.require(rows.build(), Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isTrue();
  }

  @Test
  void a_column_with_the_name_of_a_key_column_is_refused() {
    String message = "column 'id' has the name of a column of the table's key";
    for (ChangeKind kind : List.of(ChangeKind.PUT, ChangeKind.UPDATE)) {
      ChangeBatch batch =
          new RawBatch().name("a").name("id").row(kind, ONE, "02000301010301").build();
      ChangeBatch apart =
          new RawBatch()
              .name("a")
              .name("id")
              .row(kind, ONE, "01000301")
              .row(kind, ONE, "01010301")
              .build();
      assertRefused(batch, ErrorCode.INVALID_REQUEST, message);
      assertRefused(apart, ErrorCode.INVALID_REQUEST, message);
    }
    ChangeBatch other = new RawBatch().name("ID").row(ChangeKind.PUT, ONE, "01000301").build();
    assertThat(validator.require(other, Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isFalse();
  }

  @Test
  void a_batch_without_rows_is_refused() {
    assertRefused(new RawBatch().build(), ErrorCode.INVALID_REQUEST, "at least one row");
  }

  @ParameterizedTest
  @CsvSource({
    "050000, type STRING where the table has INTEGER",
    "'', ends where a column",
    "03000000, runs over",
    "03800000000000000103, more columns than the table's (id INTEGER)"
  })
  void a_key_of_another_schema_is_refused_with_the_rows_index(String key, String message) {
    ChangeBatch batch = new RawBatch().row(DELETE, ONE, "00").row(3, key, "00").build();
    assertRefused(batch, ErrorCode.KEY_MISMATCH, "row 1");
    assertRefused(batch, ErrorCode.KEY_MISMATCH, message);
  }

  @ParameterizedTest
  @CsvSource({
    // kind code, columns with their count, message
    "3, 010006, is a DELETE with columns",
    "2, 00, is an UPDATE without columns",
    "1, 010006, is a PUT that removes a column",
    "2, 0200060006, names column 'a' twice",
    "1, 01020301, column name 2 of 2",
    "1, 01000302, a BOOLEAN of 2",
    "1, 010004018f, not UTF-8",
    "1, 01000700, unknown type 7",
    "1, 01000000, unknown type 0",
    "1, 0100, type is cut off",
    "1, 0100040261, a value of 2 bytes where 1 are left",
    "1, 0100010000, a value of 8 bytes where 2 are left",
    "1, 0100030100, 1 bytes after a row's last column",
    "0, 00, a row with flags 0",
    "13, 00, a row with flags 13",
    "33, 00, a row with flags 33",
    "129, 00, a row with flags 129"
  })
  void a_row_that_no_reader_could_understand_is_refused(int flags, String columns, String message) {
    ChangeBatch batch =
        new RawBatch()
            .name("a")
            .name("b")
            .row(flags, KeyCodec.encode(ONE).toString(), columns)
            .build();
    assertRefused(batch, ErrorCode.INVALID_REQUEST, message);
  }

  @ParameterizedTest
  @CsvSource({
    "8108, a row of 1025 columns; at most 1024",
    "010005818080017f, a value of 2097153 bytes; at most 2097152",
    "010004818080017f, a value of 2097153 bytes; at most 2097152"
  })
  void a_row_over_a_limit_is_refused_as_too_large(String columns, String message) {
    ChangeBatch batch =
        new RawBatch().name("a").row(1, KeyCodec.encode(ONE).toString(), columns).build();
    assertRefused(batch, ErrorCode.ROW_TOO_LARGE, message);
  }

  @Test
  void a_key_column_over_its_limit_is_refused_as_too_large() {
    BatchValidator text =
        new BatchValidator(List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING)));
    ChangeBatch batch = new RawBatch().row(3, "05" + "78".repeat(1_025) + "00", "00").build();
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> text.require(batch, Bytes.EMPTY, Bytes.EMPTY))
        .withMessageContaining("row 0: a key column is over 1024 bytes")
        .matches(e -> e.code() == ErrorCode.ROW_TOO_LARGE);
  }

  @Test
  void a_row_without_its_column_count_is_refused() {
    ChangeBatch batch = new RawBatch().row(3, KeyCodec.encode(ONE).toString(), "").build();
    assertRefused(batch, ErrorCode.INVALID_REQUEST, "runs over the end");
  }

  @Test
  void a_dictionary_that_names_a_column_twice_is_refused() {
    ChangeBatch batch = new RawBatch().name("a").name("a").row(DELETE, ONE, "00").build();
    assertRefused(batch, ErrorCode.INVALID_REQUEST, "'a' stands twice");
  }

  @Test
  void a_dictionary_of_too_many_names_is_refused() {
    RawBatch most = new RawBatch();
    for (int i = 0; i < 4_096; i++) {
      byte[] index = new byte[Binary.varintBytes(i)];
      Binary.putVarint(index, 0, i);
      most.name("name" + i).row(PUT, ONE, "01" + HexFormat.of().formatHex(index) + "0301");
    }
    assertThat(validator.require(most.build(), Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isFalse();
    assertRefused(most.name("over").build(), ErrorCode.BATCH_TOO_LARGE, "4097 names");
  }

  @Test
  void names_are_refused_that_are_empty_or_too_long() {
    ChangeBatch empty = new RawBatch().name("").row(DELETE, ONE, "00").build();
    assertRefused(empty, ErrorCode.INVALID_REQUEST, "a column name of 0 bytes");
    ChangeBatch longest = new RawBatch().name("n".repeat(255)).row(PUT, ONE, "01000301").build();
    assertThat(validator.require(longest, Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isFalse();
    ChangeBatch longer = new RawBatch().name("n".repeat(256)).row(DELETE, ONE, "00").build();
    assertRefused(longer, ErrorCode.INVALID_REQUEST, "a column name of 256 bytes");
  }

  @Test
  void an_update_must_be_judged_against_the_row_that_is_stored() {
    ChangeBatch update = new RawBatch().name("a").row(UPDATE, ONE, "010006").build();
    assertThat(validator.require(update, Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isTrue();
  }

  @Test
  void one_validator_judges_batch_after_batch() {
    // What a refused batch left behind must not count against the next one.
    ChangeBatch bad = new RawBatch().name("a").row(UPDATE, ONE, "0200060006").build();
    ChangeBatch good = new RawBatch().name("a").row(PUT, ONE, "01000301").build();
    for (int i = 0; i < 3; i++) {
      assertRefused(bad, ErrorCode.INVALID_REQUEST, "twice");
      assertThat(validator.require(good, Bytes.EMPTY, Bytes.EMPTY).mustJudge()).isFalse();
    }
  }

  private void assertRefused(ChangeBatch batch, ErrorCode code, String message) {
    assertRefused(batch, Bytes.EMPTY, Bytes.EMPTY, code, message);
  }

  private void assertRefused(
      ChangeBatch batch, Bytes from, Bytes to, ErrorCode code, String message) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> validator.require(batch, from, to))
        .withMessageContaining(message)
        .matches(e -> e.code() == code, "code " + code);
  }

  private static ChangeBatch delete(long id) {
    return new RawBatch().row(DELETE, PrimaryKeyValue.fromLong(id), "00").build();
  }

  private static Bytes number(long value) {
    return KeyCodec.encode(PrimaryKeyValue.fromLong(value));
  }
}
