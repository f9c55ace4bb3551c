package io.tunnel.server.partition.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class KeyNumberingTest {

  private static final List<PrimaryKeySchema> KEY =
      List.of(new PrimaryKeySchema("shop", PrimaryKeyType.STRING), PrimaryKeySchema.auto("n"));

  private static final ConditionPlace PLACE = ConditionPlace.ofRows(KEY);

  private final AtomicInteger reads = new AtomicInteger();
  private final RowBounds bounds = new RowBounds(Map.of());
  private final ConditionCore core = new ConditionCore(new Nothing(), bounds);

  /** A store without rows, which counts who asks. */
  private final class Nothing implements ConditionCore.StoredRows {
    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      reads.incrementAndGet();
      return false;
    }

    @Override
    public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
      reads.incrementAndGet();
      return Optional.empty();
    }
  }

  private static RowChange put(PrimaryKeyValue n, RowExistenceExpectation condition) {
    PrimaryKey key = PrimaryKey.builder().add("shop", "a").add("n", n).build();
    return new RowPutChange(key, List.of(), condition);
  }

  private static RowChange auto() {
    return put(PrimaryKeyValue.auto(), RowExistenceExpectation.IGNORE);
  }

  private static RowChange putNew(long n) {
    return put(PrimaryKeyValue.fromLong(n), RowExistenceExpectation.EXPECT_NOT_EXIST);
  }

  private static RowChange putThere(long n) {
    return put(PrimaryKeyValue.fromLong(n), RowExistenceExpectation.EXPECT_EXIST);
  }

  private static ChangeBatch batch(boolean isAtomic, RowChange... rows) {
    BatchBuilder builder = new BatchBuilder(KEY, 256);
    builder.setAttributes(isAtomic ? Attributes.atomic(Bytes.EMPTY) : Bytes.EMPTY);
    for (RowChange row : rows) {
      assertThat(builder.add(row)).isTrue();
    }
    byte[] bytes = builder.build(1);
    return ChangeBatch.parse(bytes, 0, bytes.length);
  }

  private static List<Long> numbers(ConditionCore.Judged judged) {
    List<Long> numbers = new ArrayList<>();
    ChangeBatch accepted = judged.accepted().orElseThrow();
    for (RowCursor row = accepted.rows(); row.next(); ) {
      assertThat(row.hasAttributes()).isFalse();
      PrimaryKey key = KeyCodec.decode(accepted.array(), row.keyOffset(), row.keyBytes(), KEY);
      numbers.add(key.getPrimaryKeyColumn("n").getValue().asLong());
    }
    return numbers;
  }

  @Test
  void a_batch_that_only_asks_for_numbers_is_not_judged_and_reads_no_row() {
    ConditionCore.Judged judged = core.judge(batch(false, auto(), auto()), PLACE, false);
    assertThat(numbers(judged)).containsExactly(1L, 2L);
    assertThat(judged.firstNumber()).hasValue(1);
    assertThat(numbers(core.judge(batch(false, auto()), PLACE, false))).containsExactly(3L);
    assertThat(reads).hasValue(0);
    assertThat(bounds.largest(1)).isEqualTo(3);
  }

  @Test
  void later_rows_of_the_group_find_a_row_under_its_number() {
    ConditionCore.Judged first = core.judge(batch(false, auto()), PLACE, false);
    assertThat(numbers(first)).containsExactly(1L);
    ConditionCore.Judged second =
        core.judge(batch(false, auto(), putNew(1), putThere(1), putThere(2)), PLACE, true);
    assertThat(second.rejections())
        .as("2 is named, so the row that asks has 3")
        .containsExactly(
            new Rejection(1, ErrorCode.CONDITION_FAILED),
            new Rejection(3, ErrorCode.CONDITION_FAILED));
    assertThat(numbers(second)).containsExactly(3L, 1L);
    assertThat(second.firstNumber()).hasValue(3);
  }

  @Test
  void refused_rows_skip_numbers_and_name_none() {
    ConditionCore.Judged judged = core.judge(batch(false, putThere(900)), PLACE, true);
    assertThat(judged.accepted()).isEmpty();
    assertThat(bounds.largest(1)).isZero();
    ConditionCore.Judged atomic = core.judge(batch(true, auto(), putThere(7)), PLACE, true);
    assertThat(atomic.accepted()).isEmpty();
    assertThat(atomic.firstNumber()).isEmpty();
    assertThat(numbers(core.judge(batch(false, auto()), PLACE, false)).get(0)).isPositive();
  }

  @Test
  void without_numbers_left_the_rows_that_ask_are_refused() {
    bounds.raise(1, Long.MAX_VALUE - 1);
    ConditionCore.Judged judged = core.judge(batch(false, auto(), putNew(5), auto()), PLACE, true);
    assertThat(judged.rejections())
        .containsExactly(
            new Rejection(0, ErrorCode.INTEGER_OVERFLOW),
            new Rejection(2, ErrorCode.INTEGER_OVERFLOW));
    assertThat(numbers(judged)).containsExactly(5L);
    assertThat(judged.firstNumber()).isEmpty();
    assertThat(core.judge(batch(false, auto(), auto()), PLACE, false).rejections()).hasSize(2);
    assertThat(numbers(core.judge(batch(false, auto()), PLACE, false)))
        .containsExactly(Long.MAX_VALUE);
  }

  @Test
  void an_answer_keeps_its_first_number_beside_rejections_and_returned_columns() {
    List<Rejection> rejected = List.of(new Rejection(1, ErrorCode.CONDITION_FAILED));
    List<ReturnedRow> returned = List.of(new ReturnedRow(0, ReturnedRow.Kind.ABSENT));
    ChangeBatch batch = batch(false, auto(), auto());
    for (List<ReturnedRow> each : List.of(List.<ReturnedRow>of(), returned)) {
      Bytes kept = AnswerCodec.encode(rejected, each, OptionalLong.of(1L << 40));
      assertThat(AnswerCodec.firstNumber(kept)).hasValue(1L << 40);
      assertThat(AnswerCodec.rejections(kept)).isEqualTo(rejected);
      assertThat(AnswerCodec.returned(kept, batch, rejected)).isEqualTo(each);
    }
    assertThat(AnswerCodec.firstNumber(AnswerCodec.encode(rejected, returned))).isEmpty();
  }
}
