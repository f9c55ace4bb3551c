package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.WriteResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class AutoNumbersTest {

  /** The number stands between texts of different lengths, with zeros to escape. */
  private static final List<PrimaryKeySchema> KEY =
      List.of(
          new PrimaryKeySchema("a", PrimaryKeyType.STRING),
          PrimaryKeySchema.auto("n"),
          new PrimaryKeySchema("b", PrimaryKeyType.BINARY));

  private static final AutoNumbers NUMBERS = AutoNumbers.of(KEY).orElseThrow();

  private static PrimaryKey key(String a, PrimaryKeyValue n) {
    return PrimaryKey.builder().add("a", a).add("n", n).add("b", new byte[] {0, 1}).build();
  }

  private static RowChange auto(String a) {
    return new RowPutChange(key(a, PrimaryKeyValue.auto()), List.of());
  }

  private static RowChange named(String a, long n) {
    return new RowPutChange(key(a, PrimaryKeyValue.fromLong(n)), List.of());
  }

  private static ChangeBatch batch(RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(KEY, 256);
    for (RowChange row : rows) {
      assertThat(builder.add(row)).isTrue();
    }
    byte[] bytes = builder.build(1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static List<PrimaryKey> keys(ChangeBatch batch) {
    List<PrimaryKey> keys = new ArrayList<>();
    for (RowCursor row = batch.rows(); row.next(); ) {
      keys.add(KeyCodec.decode(batch.array(), row.keyOffset(), row.keyBytes(), KEY));
    }
    return keys;
  }

  @Test
  void rows_that_ask_get_consecutive_numbers_above_those_before_and_those_named() {
    ChangeBatch batch = batch(auto("x\0y"), named("z", 40), auto(""), named("z", -3), auto("x"));
    AutoNumbers.Numbered numbered = NUMBERS.number(batch, 7).orElseThrow();
    assertThat(numbered.first()).isEqualTo(41);
    assertThat(numbered.last()).isEqualTo(43);
    assertThat(keys(numbered.batch()))
        .containsExactly(
            key("x\0y", PrimaryKeyValue.fromLong(41)),
            key("z", PrimaryKeyValue.fromLong(40)),
            key("", PrimaryKeyValue.fromLong(42)),
            key("z", PrimaryKeyValue.fromLong(-3)),
            key("x", PrimaryKeyValue.fromLong(43)));
    assertThat(keys(batch))
        .as("the writer's batch stays as it is")
        .doesNotContain(keys(numbered.batch()).get(0));
    assertThat(NUMBERS.number(batch, 100).orElseThrow().first()).isEqualTo(101);
  }

  @Test
  void the_largest_number_is_that_of_rows_that_name_theirs() {
    assertThat(NUMBERS.largest(batch(auto("x")))).isEmpty();
    assertThat(NUMBERS.largest(batch(named("x", -9), named("x", -2), auto("x")))).hasValue(-2);
    assertThat(AutoNumbers.areAsked(batch(named("x", 1)))).isFalse();
    assertThat(AutoNumbers.areAsked(batch(named("x", 1), auto("x")))).isTrue();
  }

  @Test
  void the_last_number_is_given_and_none_behind_it() {
    assertThat(NUMBERS.number(batch(auto("x")), Long.MAX_VALUE - 1).orElseThrow().first())
        .isEqualTo(Long.MAX_VALUE);
    assertThat(NUMBERS.number(batch(auto("x"), auto("x")), Long.MAX_VALUE - 1)).isEmpty();
    assertThat(NUMBERS.number(batch(auto("x"), named("x", Long.MAX_VALUE)), 0)).isEmpty();
  }

  @Test
  void a_log_has_no_row_that_asks() {
    for (RowCursor row = batch(auto("x")).rows(); row.next(); ) {
      assertThat(row.isForJudging()).isTrue();
      assertThat(row.attributesToLog()).isEqualTo(Bytes.EMPTY);
    }
  }

  @Test
  void a_number_is_asked_for_by_a_put_of_a_new_row_alone() {
    PrimaryKey key = key("x", PrimaryKeyValue.auto());
    for (RowChange row :
        List.of(
            new RowDeleteChange(key),
            new RowPutChange(key, List.of(), RowExistenceExpectation.EXPECT_EXIST))) {
      assertThatThrownBy(() -> batch(row))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has AUTO");
    }
    assertThatThrownBy(() -> KeyCodec.encode(key, KEY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must be named");
    assertThatThrownBy(() -> PrimaryKeyValue.auto().asLong())
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_server_refuses_bytes_that_ask_for_numbers_where_there_are_none() {
    List<PrimaryKeySchema> plain =
        List.of(KEY.get(0), new PrimaryKeySchema("n", PrimaryKeyType.INTEGER), KEY.get(2));
    PrimaryKey unnumbered = key("x", PrimaryKeyValue.fromLong(0));
    assertThat(validated(KEY, new RowPutChange(unnumbered, List.of()))).isEqualTo("legal");
    assertThat(validated(plain, new RowPutChange(unnumbered, List.of())))
        .contains("without an AUTO column");
    assertThat(validated(KEY, new RowDeleteChange(unnumbered))).contains("only a PUT");
    assertThat(
            validated(
                KEY, new RowPutChange(unnumbered, List.of(), RowExistenceExpectation.EXPECT_EXIST)))
        .contains("is new");
    assertThat(validated(KEY, named("x", 3))).contains("the number 0 in the key");
  }

  /** What a server says to a row that asks, without the checks of the SDK. */
  private static String validated(List<PrimaryKeySchema> schema, RowChange row) {
    BatchBuilder builder = new BatchBuilder(schema, 256);
    Bytes auto = Attributes.with(FormatFeature.AUTO.number(), Bytes.EMPTY, Bytes.EMPTY);
    assertThat(builder.addWithin(Limits.BATCH_BYTES_MAX, row, auto)).isTrue();
    byte[] bytes = builder.build(1);
    try {
      BatchValidator.Checked checked =
          new BatchValidator(schema)
              .require(ChangeBatch.parse(bytes, 0, bytes.length), Bytes.EMPTY, Bytes.EMPTY);
      assertThat(checked.newest()).contains(FormatFeature.AUTO);
      assertThat(checked.mustJudge()).as("a number takes no judgement").isFalse();
      return "legal";
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
      return e.getMessage();
    }
  }

  @Test
  void a_write_result_has_the_first_number() {
    for (long first : new long[] {77, Long.MAX_VALUE}) {
      WriteResult result = new WriteResult(5, 3, List.of()).numbered(OptionalLong.of(first));
      byte[] bytes = result.encode();
      assertThat(WriteResult.decode(bytes)).isEqualTo(result);
      for (int end = 17; end < bytes.length; end++) {
        byte[] cut = Arrays.copyOf(bytes, end);
        assertThatThrownBy(() -> WriteResult.decode(cut)).isInstanceOf(MalformedException.class);
      }
    }
  }
}
