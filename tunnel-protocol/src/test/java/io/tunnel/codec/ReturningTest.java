package io.tunnel.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tunnel.condition.Condition;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.PrimaryKeyType;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What rows return, in the bytes of a WRITE. */
final class ReturningTest {

  private static final List<PrimaryKeySchema> SCHEMA =
      List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1L).build();

  private static ChangeBatch batch(RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    for (RowChange row : rows) {
      assertThat(builder.add(row)).isTrue();
    }
    byte[] array = builder.build(1);
    return ChangeBatch.parse(array, 0, array.length);
  }

  private static BatchValidator.Checked check(ChangeBatch batch) {
    return new BatchValidator(SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY);
  }

  @Test
  void a_row_says_what_it_returns_beside_its_condition_and_increments_and_a_log_does_not() {
    RowChange counted =
        new RowUpdateChange(KEY, List.of(new ColumnUpdate.Increment("n", 1)))
            .onlyIf(Condition.parse("n < 9"))
            .returning(Returning.columns("n", "é"));
    ChangeBatch batch =
        batch(
            counted,
            new RowPutChange(KEY, List.of()).returning(Returning.KEY),
            new RowDeleteChange(KEY).returning(Returning.columns("n").whenRefused()),
            new RowDeleteChange(KEY));
    RowCursor row = batch.rows();
    row.next();
    assertThat(row.returning()).contains(Returning.columns("n", "é"));
    assertThat(row.columnCondition()).isPresent();
    assertThat(row.hasIncrements()).isTrue();
    byte[] logged = row.attributesToLog().toByteArray();
    assertThat(Attributes.find(FormatFeature.RETURNING.number(), logged, 0, logged.length))
        .isEmpty();
    assertThat(Attributes.find(FormatFeature.DELTA.number(), logged, 0, logged.length)).isPresent();
    row.next();
    assertThat(row.returning()).contains(Returning.KEY);
    assertThat(row.isForJudging()).isTrue();
    assertThat(row.attributesToLog()).isEqualTo(Bytes.EMPTY);
    row.next();
    assertThat(row.returning()).contains(Returning.columns("n").whenRefused());
    row.next();
    assertThat(row.hasAttributes()).as("who asks for nothing pays nothing").isFalse();
  }

  @Test
  void columns_ask_for_the_right_to_read_and_a_key_does_not() {
    RowChange put = new RowPutChange(KEY, List.of());
    assertThat(check(batch(put)).mustJudge()).isFalse();
    BatchValidator.Checked key = check(batch(put, put.returning(Returning.KEY)));
    assertThat(key.mustJudge()).isTrue();
    assertThat(key.asksForColumns()).isFalse();
    assertThat(key.newest()).contains(FormatFeature.RETURNING);
    assertThat(check(batch(put.returning(Returning.columns("a")))).asksForColumns()).isTrue();
    assertThat(check(batch(put.returning(Returning.columns("a").whenRefused()))).asksForColumns())
        .isTrue();
  }

  @Test
  void columns_of_the_key_and_columns_that_cannot_be_are_refused_at_both_ends() {
    RowChange put = new RowPutChange(KEY, List.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> batch(put.returning(Returning.columns("a", "id"))))
        .withMessageContaining("'id'")
        .withMessageContaining("leave the column out");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Returning.columns("a", "b", "a"))
        .withMessageContaining("'a' is to be returned twice");
    assertThatIllegalArgumentException().isThrownBy(() -> Returning.columns(""));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Returning.columns(Collections.nCopies(Limits.ROW_COLUMNS_MAX + 1, "a")))
        .withMessageContaining("at most 1024");
  }

  @ParameterizedTest
  @CsvSource({
    "'', begins with nothing",
    "02, begins with 2",
    "ff, begins with -1",
    "00 03 6162, is cut off",
    "00 01 61 01 61, 'a' is to be returned twice",
    "00 00, must not be empty",
    "00 01 ff, UTF-8",
    "00 02 6964, of the table's key"
  })
  void other_bytes_are_refused_with_their_row(String hex, String message) {
    ByteSink list = new ByteSink(64);
    Attributes.write(list, FormatFeature.RETURNING.number(), Bytes.fromHex(hex.replace(" ", "")));
    BatchBuilder builder = new BatchBuilder(SCHEMA, 256);
    RowChange plain = new RowPutChange(KEY, List.of());
    Bytes attributes = Bytes.copyOf(list.array(), 0, list.size());
    assertThat(builder.add(plain)).isTrue();
    assertThat(builder.addWithin(Limits.BATCH_BYTES_MAX, plain, attributes)).isTrue();
    byte[] array = builder.build(1);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> check(ChangeBatch.parse(array, 0, array.length)))
        .withMessageContaining("row 1: ")
        .withMessageContaining(message)
        .matches(refused -> refused.code() == ErrorCode.INVALID_REQUEST);
  }
}
